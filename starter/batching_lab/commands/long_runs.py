"""What is printed of a run that is too long to be read whole."""

from batching_lab.reports import run_tables
from batching_lab.reports.timeline import Symbols, timeline
from batching_lab.tables import PERCENTILES, format_table
from batching_lab.trace import Trace

MAX_ROWS = 50


def tick_table(trace: Trace, last: bool = False) -> str:
    """The first ticks, or the last ones, where a fault is; and a sentence about what is left out."""
    if trace.num_ticks <= MAX_ROWS:
        return run_tables.tick_table(trace)
    part, ticks = ("last", slice(-MAX_ROWS, None)) if last else ("first", slice(MAX_ROWS))
    return f"{run_tables.tick_table(trace, ticks)}\n(the {part} {MAX_ROWS} of {trace.num_ticks} ticks)"


def request_table(trace: Trace) -> str:
    """The first requests, and percentiles over all of them."""
    if len(trace.requests) <= MAX_ROWS:
        return run_tables.request_table(trace)
    text = f"{run_tables.request_table(trace, MAX_ROWS)}\n(the first {MAX_ROWS} of {len(trace.requests)} requests)"
    rows = [(name, *map(str, values)) for name, values in run_tables.percentiles_in_ticks(trace).items()]
    return f"{text}\n\n{format_table(('in ticks', *(f'p{p}' for p in PERCENTILES)), rows)}"


def picture(trace: Trace, symbols: Symbols) -> str:
    """The timeline, or a sentence where nobody could follow the requests in it."""
    if len(trace.requests) > MAX_ROWS:
        return f"(no picture of more than {MAX_ROWS} requests)"
    return timeline(trace, symbols)
