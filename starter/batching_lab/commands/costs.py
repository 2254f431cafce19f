"""Prices of a run: in invented units, and in the milliseconds of a measured cost model."""

from math import isfinite

from batching_lab.commands.usage import UsageError
from batching_lab.reports.waits import waits
from batching_lab.tables import PERCENTILES, format_table, percentiles
from batching_lab.trace import Trace, UnitCost


def parse_unit_cost(text: str) -> UnitCost:
    """Raises `UsageError` unless the text is three numbers of at least 0, not all of them 0."""
    try:
        base, per_token, per_context_token = map(float, text.split(","))
    except ValueError:
        raise UsageError(f"--unit-cost: can't read {text!r}: it must be three numbers, like 10,1,0.01") from None
    numbers = (base, per_token, per_context_token)
    if not all(isfinite(number) and number >= 0 for number in numbers) or not any(numbers):
        raise UsageError(f"--unit-cost: {text}: the numbers must be at least 0, and one of them more")
    return UnitCost(base, per_token, per_context_token)


def cost_table(trace: Trace, costs: dict[str, UnitCost]) -> str:
    """The run's length, longest tick, TTFT and gaps, in ticks and under each of the costs (name -> cost)."""
    columns = [figures(trace, UnitCost())] + [figures(trace, cost) for cost in costs.values()]
    rows = [(name, *(f"{column[name]:.4g}" for column in columns)) for name in columns[0]]
    return format_table(("", "ticks", *costs), rows)


def figures(trace: Trace, cost: UnitCost) -> dict[str, float]:
    """Name -> number. TTFT counts from the boundary before which a request arrived."""
    found = waits(trace, cost)
    numbers = {"total": found.total, "longest tick": found.longest}
    for name, values in (("TTFT", list(found.ttft.values())), ("gap", found.gaps)):
        if values:
            for share, value in zip(PERCENTILES, percentiles(values), strict=True):
                numbers[f"{name} p{share}"] = value
    return numbers
