"""What happened in a run: every tick, every request, and the numbers that follow from them."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from batching_lab.config import SchedulerConfig
from batching_lab.errors import RuleViolation


@dataclass(frozen=True)
class UnitCost:
    """What a tick costs in invented units: base + per_token * (sum of m) + per_context_token * (sum of c + m).

    So a tick with a long prefill lasts longer than one with two decodes. The units are not milliseconds.
    """

    base: float = 1.0
    per_token: float = 0.0
    per_context_token: float = 0.0


@dataclass(frozen=True)
class TickRecord:
    """One tick as it was executed.

    num_scheduled_tokens         request id -> m, in the order scheduled
    preempted, aborted, refused  at the boundary before it
    finished                     at its end
    num_waiting, num_running     requests in the queue and in slots during the tick
    blocks_used                  KV blocks held during the tick
    num_context_tokens           sum of c + m over what was scheduled
    """

    tick: int
    num_scheduled_tokens: dict[str, int]
    preempted: tuple[str, ...]
    finished: tuple[str, ...]
    aborted: tuple[str, ...]
    refused: tuple[str, ...]
    num_waiting: int
    num_running: int
    blocks_used: int
    num_context_tokens: int


@dataclass
class RequestRecord:
    """One request from its arrival to its end.

    token_ticks            the tick of each generated token
    num_recomputed_tokens  tokens computed again after preemptions; right once it has left
    """

    request_id: str
    arrival: int
    num_prompt_tokens: int
    status: Literal["unfinished", "finished", "refused", "aborted"] = "unfinished"
    token_ticks: list[int] = field(default_factory=list)
    num_preemptions: int = 0
    num_recomputed_tokens: int = 0
    most_computed_tokens: int = 0

    def preempt(self, num_computed_tokens: int) -> None:
        """It was preempted, and what it had computed was thrown away."""
        self.num_preemptions += 1
        self.num_recomputed_tokens += num_computed_tokens
        self.most_computed_tokens = max(self.most_computed_tokens, num_computed_tokens)

    def leave(self, num_computed_tokens: int) -> None:
        """It ends with so many tokens computed. What it had computed beyond them was never computed again."""
        self.num_recomputed_tokens -= max(0, self.most_computed_tokens - num_computed_tokens)

    @property
    def finish_tick(self) -> int | None:
        """The tick of its last token; None if it has not finished."""
        return self.token_ticks[-1] if self.status == "finished" else None

    @property
    def ttft(self) -> int | None:
        """Time to first token: its tick minus the arrival."""
        return self.token_ticks[0] - self.arrival if self.token_ticks else None

    @property
    def latency(self) -> int | None:
        """Finish tick minus arrival."""
        return self.token_ticks[-1] - self.arrival if self.status == "finished" else None

    @property
    def gaps(self) -> list[int]:
        """Ticks between one token and the next."""
        return [later - earlier for earlier, later in pairwise(self.token_ticks)]


@dataclass
class Trace:
    """The record of one run.

    limits                  what the scheduler was held to; None: only the rules that need no limit were checked
    num_blocks, block_size  of the allocator; None without one
    violation               the first broken rule, when violations are recorded instead of raised
    """

    limits: SchedulerConfig | None = None
    num_blocks: int | None = None
    block_size: int | None = None
    ticks: list[TickRecord] = field(default_factory=list)
    requests: dict[str, RequestRecord] = field(default_factory=dict)
    violation: RuleViolation | None = None

    @property
    def num_ticks(self) -> int:
        """The total: ticks until everything is done, idle ones included."""
        return len(self.ticks)

    @property
    def finish_ticks(self) -> dict[str, int]:
        """Request id -> the tick in which it finished, in order of finishing."""
        return {request_id: record.tick for record in self.ticks for request_id in record.finished}

    @property
    def ttft(self) -> dict[str, int]:
        """Request id -> tick of its first token minus its arrival."""
        return {r.request_id: r.ttft for r in self.requests.values() if r.ttft is not None}

    @property
    def latency(self) -> dict[str, int]:
        """Request id -> finish tick minus arrival."""
        return {r.request_id: r.latency for r in self.requests.values() if r.latency is not None}

    @property
    def gaps(self) -> dict[str, list[int]]:
        """Request id -> ticks between its tokens."""
        return {r.request_id: r.gaps for r in self.requests.values() if r.token_ticks}

    @property
    def refused(self) -> list[str]:
        """Ids of those that the scheduler refused with `RequestTooLong`."""
        return [r.request_id for r in self.requests.values() if r.status == "refused"]

    @property
    def aborted(self) -> list[str]:
        """Ids of those whose clients hung up before they finished."""
        return [r.request_id for r in self.requests.values() if r.status == "aborted"]

    @property
    def num_output_tokens(self) -> int:
        """Tokens generated, over all requests."""
        return sum(len(r.token_ticks) for r in self.requests.values())

    @property
    def num_preemptions(self) -> int:
        """Over all requests."""
        return sum(r.num_preemptions for r in self.requests.values())

    @property
    def num_recomputed_tokens(self) -> int:
        """Tokens computed again because a preemption had thrown them away."""
        return sum(r.num_recomputed_tokens for r in self.requests.values())

    @property
    def slot_utilization(self) -> float | None:
        """Share of the slots, over all ticks, in which a sequence computed something. None without limits."""
        if self.limits is None or not self.ticks:
            return None
        return sum(len(t.num_scheduled_tokens) for t in self.ticks) / (self.limits.max_num_seqs * len(self.ticks))

    @property
    def kv_utilization(self) -> float | None:
        """Share of the pool's blocks that were held, over all ticks. None without an allocator."""
        if self.num_blocks is None or not self.ticks:
            return None
        return sum(t.blocks_used for t in self.ticks) / (self.num_blocks * len(self.ticks))

    def tick_costs(self, cost: UnitCost) -> list[float]:
        """What each tick costs, in units; an idle tick costs the base."""
        return [
            cost.base
            + cost.per_token * sum(t.num_scheduled_tokens.values())
            + cost.per_context_token * t.num_context_tokens
            for t in self.ticks
        ]

    def total_cost(self, cost: UnitCost) -> float:
        """What the whole run costs, in units."""
        return sum(self.tick_costs(cost))
