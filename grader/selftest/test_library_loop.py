"""The serving loop: every rule is noticed in the tick that breaks it, and every run ends."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

import pytest

from batching_lab import (
    Job,
    OutOfBlocks,
    Request,
    RequestTooLong,
    RuleViolation,
    Schedule,
    SchedulerConfig,
    Sequence,
    SimulatedExecutor,
    Trace,
    decode_only,
    parse_jobs,
    serve,
    simulate,
)
from batching_lab.difference import parse_ticks, schedule_text, schedules_of
from batching_lab.ledger import limits_of
from batching_lab.rules import RULES
from batching_lab.submission import Submission
from grader.selftest.helpers import SOLUTION

Checks = Literal["raise", "record"]


class Pool:
    """An allocator without a fault."""

    def __init__(self, num_blocks: int = 8, block_size: int = 2) -> None:
        self.num_blocks, self.block_size = num_blocks, block_size
        self.unused = list(range(num_blocks))
        self.tables: dict[str, list[int]] = {}

    @property
    def num_free_blocks(self) -> int:
        return len(self.unused)

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        return max(0, -(-num_tokens // self.block_size) - len(self.tables.get(request_id, [])))

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        return self.blocks_needed(request_id, num_tokens) <= len(self.unused)

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        if not self.can_allocate(request_id, num_tokens):
            raise OutOfBlocks
        blocks = [self.unused.pop(0) for _ in range(self.blocks_needed(request_id, num_tokens))]
        self.tables.setdefault(request_id, []).extend(blocks)
        return blocks

    def block_table(self, request_id: str) -> Any:
        return list(self.tables.get(request_id, []))

    def free(self, request_id: str) -> None:
        self.unused += self.tables.pop(request_id)


class GreedyPool(Pool):
    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        return super().allocate(request_id, num_tokens + self.block_size)


class LazyPool(Pool):
    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        return super().allocate(request_id, num_tokens) if request_id not in self.tables else []


class KeepingPool(Pool):
    def free(self, request_id: str) -> None:
        pass


class LeakyPool(Pool):
    def free(self, request_id: str) -> None:
        self.unused += self.tables.pop(request_id)[1:]


class DoubleFreePool(Pool):
    def free(self, request_id: str) -> None:
        self.unused += self.tables[request_id] * 2
        del self.tables[request_id]


class SharingPool(Pool):
    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        blocks = super().allocate(request_id, num_tokens)
        self.tables[request_id][-len(blocks) :] = range(len(blocks))
        return blocks


@dataclass
class ChangedTablePool(Pool):
    """Its tables are told as `change(table)`."""

    change: Callable[[list[int]], Any]

    def __post_init__(self) -> None:
        super().__init__()

    def block_table(self, request_id: str) -> Any:
        return self.change(super().block_table(request_id))


class Scripted:
    """Schedules what it was told to and keeps all other rules. Refuses requests whose id starts with R."""

    def __init__(self, ticks: str | Iterable[Schedule], config: SchedulerConfig | None, pool: Pool | None) -> None:
        self.script = iter(parse_ticks(ticks) if isinstance(ticks, str) else ticks)
        self.pool = pool
        self.sequences: dict[str, Sequence] = {}
        self.calls: list[str] = []
        if config is not None:
            self.config = config

    def add_request(self, request: Request) -> None:
        self.calls.append(f"add {request.request_id}")
        if request.request_id.startswith("R"):
            raise RequestTooLong
        self.sequences[request.request_id] = Sequence(request)

    def abort(self, request_id: str) -> None:
        self.calls.append(f"abort {request_id}")
        if self.sequences.pop(request_id, None):
            self.release(request_id)

    def release(self, request_id: str) -> None:
        if self.pool is not None and request_id in self.pool.tables:
            self.pool.free(request_id)

    def schedule(self) -> Schedule:
        self.calls.append("schedule")
        self.decision = next(self.script, Schedule({}))
        for request_id in self.decision.preempted:
            if request_id in self.sequences:
                self.sequences[request_id].num_computed_tokens = 0
                self.release(request_id)
        for request_id, num_tokens in self.decision.num_scheduled_tokens.items():
            if self.pool is not None and request_id in self.sequences:
                self.pool.allocate(request_id, self.sequences[request_id].num_computed_tokens + num_tokens)
        return Schedule(self.decision.num_scheduled_tokens, self.decision.preempted)

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        self.calls.append("update")
        finished = []
        for request_id, num_tokens in self.decision.num_scheduled_tokens.items():
            sequence = self.sequences.get(request_id)
            if sequence is not None:
                sequence.num_computed_tokens += num_tokens
                sequence.output_token_ids += [sampled[request_id]] if request_id in sampled else []
                if sequence.is_finished:
                    finished.append(request_id)
                    del self.sequences[request_id]
                    self.release(request_id)
        return finished

    def has_unfinished(self) -> bool:
        return bool(self.sequences)


@dataclass
class Bad:
    """A run that breaks one rule. `returns`: (method, call, what that call returns); `pool`: the allocator's class."""

    rule: str
    tick: int
    request_id: str | None
    says: str
    jobs: str
    ticks: str | Callable[[], Iterable[Schedule]]
    config: dict[str, Any] = field(default_factory=dict)
    returns: tuple[str, int, Any] | None = None
    pool: Callable[[], Pool] | None = None
    scheduler: type[Scripted] = Scripted

    def run(self, checks: Checks) -> Trace:
        pool = self.pool() if self.pool else None
        config = SchedulerConfig(**{"max_num_seqs": 2, **self.config})
        ticks = self.ticks if isinstance(self.ticks, str) else self.ticks()
        scheduler = self.scheduler(ticks, config, pool)
        if self.returns is not None:
            method, call, value = self.returns
            original, calls = getattr(scheduler, method), count(1)

            def changed(*arguments: Any) -> Any:
                result = original(*arguments)
                return value if next(calls) == call else result

            setattr(scheduler, method, changed)
        jobs = parse_jobs(self.jobs)
        return serve(scheduler, jobs, SimulatedExecutor(jobs), pool, checks)


class Losing(Scripted):
    """Forgets B as soon as it comes, blocks and all."""

    def add_request(self, request: Request) -> None:
        if request.request_id != "B":
            super().add_request(request)


class StaticScheduler(Scripted):
    """Recognised by its name."""


def ping_pong() -> Iterable[Schedule]:
    """Computes a token in every tick and throws it away in the next, for ever."""
    yield Schedule({"A": 1})
    while True:
        yield Schedule({"B": 1}, ("A",))
        yield Schedule({"A": 1}, ("B",))


EVICT = {"kv_policy": "max_utilization"}
CHUNKED = {"enable_chunked_prefill": True}
TWO = "1 A\n2 A"
SIX = "1 A:6\n2 A\n3 A"

BAD = [
    *(
        Bad("schedule_type", 2, None, says, "A=3", TWO, EVICT, returns=("schedule", 2, value))
        for value, says in [
            (None, "returned None"),
            ({"A": 1}, "{'A': 1} (dict)"),
            (Schedule([("A", 1)]), "(list)"),  # type: ignore[arg-type]
            (Schedule({"A": True}), "'A' (str): True (bool)"),
            (Schedule({"A": 1.0}), "1.0 (float)"),  # type: ignore[dict-item]
            (Schedule({1: 1}), "1 (int): 1 (int)"),  # type: ignore[dict-item]
            (Schedule({}, ["A"]), "preempted is ['A'] (list)"),  # type: ignore[arg-type]
            (Schedule({}, (0,)), "preempted is (0,) (tuple)"),  # type: ignore[arg-type]
        ]
    ),
    *(
        Bad("update_type", 2, None, says, "A=3", TWO, returns=("update", 2, value))
        for value, says in [(None, "returned None"), (("A",), "('A',) (tuple)"), ([0], "[0] (list)")]
    ),
    Bad("live", 2, "Z", "Z was scheduled, but it was never added", "A=3", "1 A\n2 A Z"),
    Bad("live", 1, "B", "B was scheduled, but it has not arrived yet", "A=3,B=1@1", "1 A B"),
    Bad("live", 2, "B", "B was scheduled, but it is finished already", "A=3,B=1", "1 A B\n2 A B"),
    Bad("live", 2, "B", "B was scheduled, but it is aborted already", "A=3,B=2!1", "1 A B\n2 A B"),
    Bad("live", 1, "R", "R was scheduled, but it is refused already", "A=3,R=2", "1 A R"),
    Bad("num_tokens", 2, "A", "scheduled for 2 tokens, but has 1 to compute", "A=3", "1 A\n2 A:2"),
    Bad("num_tokens", 1, "A", "A was scheduled for 0 tokens, but has 6", "A=6+1", lambda: [Schedule({"A": 0})]),
    Bad("num_tokens", 1, "B", "B was scheduled for -1 tokens", "A=1,B=1", lambda: [Schedule({"A": 1, "B": -1})]),
    Bad("chunking", 1, "A", "A was scheduled for 4 of 6 uncomputed tokens", "A=6+2", "1 A:4\n2 A:2"),
    Bad(
        "chunk_size",
        2,
        "B",
        "4 tokens, but prefill_chunk_size is 3",
        "A=3+2,B=6+2",
        "1 A:3\n2 A B:4",
        {"prefill_chunk_size": 3, **CHUNKED},
    ),
    Bad("token_budget", 1, None, "5 tokens", "A=3+2,B=2+2", "1 A:3 B:2", {"max_num_batched_tokens": 4}),
    Bad("slots", 1, None, "3 sequences are running, but there are 2", "A=2,B=2,C=2", "1 A B C"),
    Bad("slots", 2, None, "3 sequences are running, but there are 2", "A=3,B=3,C=3", "1 A B\n2 C"),
    Bad("slots", 2, None, "3 sequences", "A=4,B=4,C=4,D=4", "1 A B\n2 C D -B", EVICT),
    Bad("preemption", 2, "B", "B was preempted, but it was not running", "A=3,B=3", "1 A\n2 A -B", EVICT),
    Bad("preemption", 1, "Z", "Z was preempted, but it was not running", "A=3", "1 A -Z", EVICT),
    Bad("preemption", 2, "B", "not running", "A=3,B=3", "1 A B\n2 A -B -B", EVICT),
    Bad("preemption", 2, "B", "B was preempted and scheduled", "A=3,B=3", "1 A B\n2 A B:2 -B", EVICT),
    Bad("no_evict", 2, "B", "B was preempted", "A=3,B=3", "1 A B\n2 A -B"),
    Bad("no_evict", 2, "B", "B was preempted", "A=3,B=3", "1 A B\n2 A -B", EVICT, scheduler=StaticScheduler),
    Bad("blocks_held", 1, "A", "A holds 4 blocks for 6 tokens, not 3 (block size 2)", "A=6+3", SIX, pool=GreedyPool),
    Bad("blocks_held", 2, "A", "A holds 3 blocks for 7 tokens, not 4 (block size 2)", "A=6+3", SIX, pool=LazyPool),
    Bad("blocks_released", 2, "A", "A finished, but its block table is [0] (list)", "A=2", TWO, pool=KeepingPool),
    Bad("blocks_released", 2, "A", "A was aborted", "A=9!1,B=1", TWO, pool=KeepingPool),
    Bad("blocks_released", 2, "A", "A was preempted", "A=9,B=1", "1 A\n2 B -A", EVICT, pool=KeepingPool),
    Bad(
        "block_table",
        3,
        "A",
        "block 0 in the table of A was 0 and is 1",
        "A=4",
        "1 A\n2 A\n3 A",
        pool=lambda: ChangedTablePool(lambda table: table[::-1]),
    ),
    Bad("block_table", 1, "A", "A is (0,)", "A=2", TWO, pool=lambda: ChangedTablePool(tuple)),
    Bad("block_table", 1, "A", "A is None", "A=2", TWO, pool=lambda: ChangedTablePool(lambda _: None)),
    Bad("block_table", 1, "A", "0.0 (float)", "A=2", TWO, pool=lambda: ChangedTablePool(lambda t: [float(b) for b in t])),
    Bad("block_table", 1, "A", "[0] (list)", "A=2", TWO, pool=lambda: ChangedTablePool(lambda t: [[b] for b in t])),
    Bad(
        "block_id",
        1,
        "A",
        "A was given block 8 of 8",
        "A=2",
        TWO,
        pool=lambda: ChangedTablePool(lambda t: [b + 8 for b in t]),
    ),
    Bad("block_id", 1, "A", "block -1", "A=2", TWO, pool=lambda: ChangedTablePool(lambda t: [b - 1 for b in t])),
    Bad("block_owner", 2, "B", "B was given block 0, which A holds", "A=3,B=3", "1 A\n2 A B", pool=SharingPool),
    Bad("block_owner", 1, "A", "A was given block 7, which A holds", "A=4+1", "1 A:4", pool=lambda: ChangedTablePool(lambda t: [7] * len(t))),
    Bad("free_blocks", 2, None, "7 blocks are free and 0 are held, but the pool has 8", "A=2,B=5", TWO, pool=LeakyPool),
    Bad("free_blocks", 2, None, "9 blocks are free and 0 are held", "A=2,B=5", TWO, pool=DoubleFreePool),
    Bad("finished", 2, "A", "A sampled its last token", "A=2", TWO, returns=("update", 2, [])),
    Bad("finished", 2, "B", "named B, which is not finished", "A=3,B=3", "1 A B\n2 A B", returns=("update", 2, ["B"])),
    Bad("finished", 1, "Z", "named Z, which was never added", "A=3", TWO, returns=("update", 1, ["Z"])),
    Bad("finished", 1, None, "['B', 'A'], but in schedule order it is ['A', 'B']", "A=1,B=1", "1 A B", returns=("update", 1, ["B", "A"])),
    Bad("finished", 1, None, "['A', 'A'], but", "A=1,B=2", "1 A B", returns=("update", 1, ["A", "A"])),
    Bad("has_unfinished", 3, None, "True, but nobody waiting", "A=2", TWO, returns=("has_unfinished", 3, True)),
    Bad("has_unfinished", 2, None, "False, but nobody waiting and A running", "A=2", TWO, returns=("has_unfinished", 2, False)),
    Bad("has_unfinished", 1, None, "1, but A, B waiting and nobody running", "A=2,B=1", TWO, returns=("has_unfinished", 1, 1)),
    Bad("has_unfinished", 3, None, "False, but B waiting", "A=2,B=1", TWO, scheduler=Losing),
    Bad("stalled", 3, None, "A, B, C, D, E and 3 more waiting and nobody running", "Y=1,Z=1,A=1,B=1,C=1,D=1,E=1,F=1,G=1,H=1", "1 Y\n2 Z"),
    Bad("stalled", 2, None, "B waiting and A running, with 7 of 8 blocks free", "A=3,B=3", "1 A", pool=Pool),
    Bad("bound", 5, None, "over by tick 4, but A waiting and B running", "A=2+1,B=2+1", ping_pong, EVICT | CHUNKED),
    Bad("bound", 9, None, "over by tick 8", "A=2+1@3,B=2+1@1,R=1", lambda: [Schedule({}), Schedule({})], EVICT | CHUNKED),
]  # fmt: skip
