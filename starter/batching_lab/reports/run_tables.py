"""A run as tables: one line a tick, one line a request, and percentiles over all of them."""

from collections.abc import Iterator
from itertools import islice

from batching_lab.tables import format_table, percentiles, scheduled_text, shortened
from batching_lab.trace import TickRecord, Trace

TICK_HEADING = ("tick", "ran", "preempted", "left", "waiting", "running", "blocks")
REQUEST_HEADING = ("request", "arrival", "TTFT", "finish", "latency", "longest gap", "preempted", "status")


def tick_table(trace: Trace, ticks: slice | None = None) -> str:
    """One line a tick, under a heading. `A:6` ran 6 tokens, `A` one; what is too long is cut.

    ticks  which of them; None: all
    """
    return format_table(TICK_HEADING, [tuple(map(shortened, row)) for row in tick_rows(trace, ticks or slice(None))])


def tick_rows(trace: Trace, ticks: slice) -> Iterator[tuple[str, ...]]:
    """The cells of the lines below `TICK_HEADING`."""
    for tick in trace.ticks[ticks]:
        ran = " ".join(scheduled_text(request_id, m) for request_id, m in tick.num_scheduled_tokens.items())
        yield (
            str(tick.tick),
            ran or "idle",
            " ".join(tick.preempted),
            who_left(tick),
            str(tick.num_waiting),
            str(tick.num_running),
            "" if trace.num_blocks is None else f"{tick.blocks_used}/{trace.num_blocks}",
        )


def who_left(tick: TickRecord) -> str:
    """`A finished, B aborted`: whom the tick, or the boundary before it, was the last of."""
    left = {"finished": tick.finished, "aborted": tick.aborted, "refused": tick.refused}
    return ", ".join(f"{request_id} {how}" for how, request_ids in left.items() for request_id in request_ids)


def request_table(trace: Trace, max_requests: int | None = None) -> str:
    """One line a request: when it came, when its first token and its last came, and how it ended.

    max_requests  only so many, in the order of the jobs; None: all
    """
    rows = [
        (
            r.request_id,
            str(r.arrival),
            "-" if r.ttft is None else str(r.ttft),
            "-" if r.finish_tick is None else str(r.finish_tick),
            "-" if r.latency is None else str(r.latency),
            str(max(r.gaps, default=0)) if r.token_ticks else "-",
            str(r.num_preemptions),
            r.status,
        )
        for r in islice(trace.requests.values(), max_requests)
    ]
    return format_table(REQUEST_HEADING, rows)


def percentiles_in_ticks(trace: Trace) -> dict[str, list[int]]:
    """The `PERCENTILES` of TTFT, latency and gaps over all requests, in ticks; what has no values is left out."""
    values = {
        "TTFT": list(trace.ttft.values()),
        "latency": list(trace.latency.values()),
        "gap": [gap for r in trace.requests.values() for gap in r.gaps],
    }
    return {name: percentiles(numbers) for name, numbers in values.items() if numbers}
