"""Prices of a run: in invented units, and in the milliseconds of a measured cost model."""

from itertools import accumulate
from math import isfinite

from batching_lab.commands.usage import UsageError
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
    costs = trace.tick_costs(cost)
    ends = [0.0, *accumulate(costs)]  # ends[t]: when tick t is over
    found = {"total": ends[-1], "longest tick": max(costs, default=0.0)}
    answered = [record for record in trace.requests.values() if record.token_ticks]
    values = {
        "TTFT": [ends[record.token_ticks[0]] - ends[record.arrival] for record in answered],
        "gap": [
            ends[tick] - ends[before]
            for record in answered
            for before, tick in zip(record.token_ticks, record.token_ticks[1:], strict=False)
        ],
    }
    for name, numbers in values.items():
        if numbers:
            for share, value in zip(PERCENTILES, percentiles(numbers), strict=True):
                found[f"{name} p{share}"] = value
    return found
