"""How long a run's requests waited for their tokens, where ticks cost what they cost."""

from dataclasses import dataclass
from itertools import accumulate, pairwise

from batching_lab.trace import Trace, UnitCost


@dataclass(frozen=True)
class Waits:
    """In the units of the cost. A token comes at the end of its tick, a request at the boundary before it arrived.

    total    the whole run
    longest  the tick that takes longest; 0.0 without any
    ttft     request id -> from its arrival to its first token; of those that have one
    gaps     between one token of a request and its next, of all requests
    """

    total: float
    longest: float
    ttft: dict[str, float]
    gaps: list[float]


def waits(trace: Trace, cost: UnitCost) -> Waits:
    """The waits of a run whose ticks cost this."""
    costs = trace.tick_costs(cost)
    ends = [0.0, *accumulate(costs)]  # ends[t]: when tick t is over
    requests = [record for record in trace.requests.values() if record.token_ticks]
    return Waits(
        total=ends[-1],
        longest=max(costs, default=0.0),
        ttft={record.request_id: ends[record.token_ticks[0]] - ends[record.arrival] for record in requests},
        gaps=[ends[later] - ends[earlier] for record in requests for earlier, later in pairwise(record.token_ticks)],
    )
