"""The serving loop: every rule is noticed in the tick that breaks it, and every run ends."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any, Literal

import pytest

from batching_lab import (
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
from batching_lab.checks import ViolationInRun
from batching_lab.config import SCHEDULER_CLASSES, limits_of
from batching_lab.difference import parse_ticks, schedule_text, schedules_of
from batching_lab.reports.run_json import trace_json
from batching_lab.reports.run_tables import tick_table
from batching_lab.reports.timeline import ASCII, timeline
from batching_lab.rules import RULES
from batching_lab.submission.loading import Submission
from grader.paths import SOLUTION

Checks = Literal["raise", "record"]


class Pool:
    """An allocator without a fault, unless it is made with one.

    ask      number of tokens to allocate for -> the number that it uses
    release  a table to free -> the blocks that become free; None: nothing happens
    tell     a table -> what `block_table` returns
    """

    def __init__(
        self,
        num_blocks: int = 8,
        block_size: int = 2,
        ask: Callable[[int], int] = int,
        release: Callable[[list[int]], list[int] | None] = list,
        tell: Callable[[list[int]], Any] = list,
    ) -> None:
        self.num_blocks, self.block_size, self.ask, self.release, self.tell = num_blocks, block_size, ask, release, tell
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
        blocks = [self.unused.pop(0) for _ in range(self.blocks_needed(request_id, self.ask(num_tokens)))]
        self.tables.setdefault(request_id, []).extend(blocks)
        return blocks

    def block_table(self, request_id: str) -> Any:
        return self.tell(self.tables.get(request_id, []))

    def free(self, request_id: str) -> None:
        blocks = self.release(self.tables[request_id])
        if blocks is not None:
            del self.tables[request_id]
            self.unused += blocks


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
        return self.decision

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
    """A run that breaks one rule.

    returns  (method, call, what that call returns)
    pool     the arguments of the allocator; None: no allocator
    """

    rule: str
    tick: int
    request_id: str | None
    says: str
    jobs: str
    ticks: str | Callable[[], Iterable[Schedule]]
    config: dict[str, Any] = field(default_factory=dict)
    returns: tuple[str, int, Any] | None = None
    pool: dict[str, Any] | None = None
    scheduler: type[Scripted] = Scripted

    def run(self, checks: Checks) -> Trace:
        pool = None if self.pool is None else Pool(**self.pool)
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
KEEP: dict[str, Any] = {"release": lambda table: None}
LEAK: dict[str, Any] = {"release": lambda table: table[1:]}
TWICE: dict[str, Any] = {"release": lambda table: table * 2}
MORE: dict[str, Any] = {"ask": lambda n: n + 2}
LESS: dict[str, Any] = {"ask": lambda n: min(n, 6)}

SCHEDULE_TYPES: list[tuple[Any, str]] = [
    (None, "returned None"),
    ({"A": 1}, "{'A': 1} (dict)"),
    (Schedule([("A", 1)]), "(list)"),  # type: ignore[arg-type]
    (Schedule({"A": True}), "'A' (str): True (bool)"),
    (Schedule({"A": 1.0}), "1.0 (float)"),  # type: ignore[dict-item]
    (Schedule({1: 1}), "1 (int): 1 (int)"),  # type: ignore[dict-item]
    (Schedule({}, ["A"]), "preempted is ['A'] (list)"),  # type: ignore[arg-type]
    (Schedule({}, (0,)), "preempted is (0,) (tuple)"),  # type: ignore[arg-type]
]
UPDATE_TYPES: list[tuple[Any, str]] = [(None, "returned None"), (("A",), "('A',) (tuple)"), ([0], "[0] (list)")]

BAD = [
    *(Bad("schedule_type", 2, None, says, "A=3", TWO, EVICT, ("schedule", 2, v)) for v, says in SCHEDULE_TYPES),
    *(Bad("update_type", 2, None, says, "A=3", TWO, {}, ("update", 2, v)) for v, says in UPDATE_TYPES),
    Bad("live", 2, "Z", "Z was scheduled, but it was never added", "A=3", "1 A\n2 A Z"),
    Bad("live", 1, "B", "B was scheduled, but it has not arrived yet", "A=3,B=1@1", "1 A B"),
    Bad("live", 2, "B", "B was scheduled, but it is finished already", "A=3,B=1", "1 A B\n2 A B"),
    Bad("live", 2, "B", "B was scheduled, but it is aborted already", "A=3,B=2~1", "1 A B\n2 A B"),
    Bad("live", 1, "R", "R was scheduled, but it is refused already", "A=3,R=2", "1 A R"),
    Bad("num_tokens", 2, "A", "A was scheduled for 2 tokens, but has 1 to compute", "A=3", "1 A\n2 A:2"),
    Bad("num_tokens", 1, "A", "A was scheduled for 0 tokens, but has 6", "A=6+1", lambda: [Schedule({"A": 0})]),
    Bad("num_tokens", 1, "B", "B was scheduled for -1 tokens", "A=1,B=1", lambda: [Schedule({"A": 1, "B": -1})]),
    Bad("chunking", 1, "A", "A was scheduled for 4 of 6 uncomputed tokens", "A=6+2", "1 A:4\n2 A:2"),
    Bad("chunk_size", 2, "B", "B was scheduled for 4 tokens, but prefill_chunk_size is 3", "A=3+2,B=6+2",
        "1 A:3\n2 A B:4", {"prefill_chunk_size": 3, **CHUNKED}),
    Bad("token_budget", 1, None, "5 tokens were scheduled, but the budget is 4", "A=3+2,B=2+2", "1 A:3 B:2",
        {"max_num_batched_tokens": 4}),
    Bad("slots", 1, None, "3 sequences are running, but there are 2 slots", "A=2,B=2,C=2", "1 A B C"),
    Bad("slots", 2, None, "3 sequences are running, but there are 2 slots", "A=3,B=3,C=3", "1 A B\n2 C"),
    Bad("slots", 2, None, "3 sequences are running", "A=4,B=4,C=4,D=4", "1 A B\n2 C D -B", EVICT),
    Bad("preemption", 2, "B", "B was preempted, but it was not running", "A=3,B=3", "1 A\n2 A -B", EVICT),
    Bad("preemption", 1, "Z", "Z was preempted, but it was not running", "A=3", "1 A -Z", EVICT),
    Bad("preemption", 2, "B", "B was preempted, but it was not running", "A=3,B=3", "1 A B\n2 A -B -B", EVICT),
    Bad("preemption", 2, "B", "B was preempted and scheduled", "A=3,B=3", "1 A B\n2 A B:2 -B", EVICT),
    Bad("no_evict", 2, "B", "B was preempted", "A=3,B=3", "1 A B\n2 A -B"),
    Bad("no_evict", 2, "B", "B was preempted", "A=3,B=3", "1 A B\n2 A -B", EVICT, scheduler=StaticScheduler),
    Bad("blocks_held", 1, "A", "A holds 4 blocks for 6 tokens, not 3 (block size 2)", "A=6+3", SIX, pool=MORE),
    Bad("blocks_held", 2, "A", "A holds 3 blocks for 7 tokens, not 4 (block size 2)", "A=6+3", SIX, pool=LESS),
    Bad("blocks_released", 2, "A", "A finished, but its block table is [0] (list)", "A=2", TWO, pool=KEEP),
    Bad("blocks_released", 2, "A", "A was aborted, but its block table", "A=9~1,B=1", TWO, pool=KEEP),
    Bad("blocks_released", 2, "A", "A was preempted, but", "A=9,B=1", "1 A\n2 B -A", EVICT, pool=KEEP),
    Bad("block_table", 3, "A", "block 0 in the table of A was 0 and is 1", "A=4", f"{TWO}\n3 A",
        pool={"tell": lambda t: t[::-1]}),
    Bad("block_table", 1, "A", "the block table of A is (0,) (tuple)", "A=2", TWO, pool={"tell": tuple}),
    Bad("block_table", 1, "A", "the block table of A is None", "A=2", TWO, pool={"tell": lambda _: None}),
    Bad("block_table", 1, "A", "0.0 (float)", "A=2", TWO, pool={"tell": lambda t: [float(b) for b in t]}),
    Bad("block_table", 1, "A", "[0] (list)", "A=2", TWO, pool={"tell": lambda t: [[b] for b in t]}),
    Bad("block_id", 1, "A", "A was given block 8 of 8", "A=2", TWO, pool={"tell": lambda t: [b + 8 for b in t]}),
    Bad("block_id", 1, "A", "A was given block -1", "A=2", TWO, pool={"tell": lambda t: [b - 1 for b in t]}),
    Bad("block_owner", 2, "B", "B was given block 0, which A holds", "A=3,B=3", "1 A\n2 A B",
        pool={"tell": lambda t: list(range(len(t)))}),
    Bad("block_owner", 1, "A", "A was given block 7, which A holds", "A=4+1", "1 A:4",
        pool={"tell": lambda t: [7] * len(t)}),
    Bad("free_blocks", 2, None, "7 blocks are free and 0 are held, but the pool has 8", "A=2,B=5", TWO, pool=LEAK),
    Bad("free_blocks", 2, None, "9 blocks are free and 0 are held", "A=2,B=5", TWO, pool=TWICE),
    Bad("finished", 2, "A", "A sampled its last token, but update()", "A=2", TWO, {}, ("update", 2, [])),
    Bad("finished", 2, "B", "named B, which is not finished", "A=3,B=3", "1 A B\n2 A B", {}, ("update", 2, ["B"])),
    Bad("finished", 1, "Z", "named Z, which was never added", "A=3", TWO, {}, ("update", 1, ["Z"])),
    Bad("finished", 1, None, "['B', 'A'], but in schedule order it is ['A', 'B']", "A=1,B=1", "1 A B",
        {}, ("update", 1, ["B", "A"])),
    Bad("finished", 1, None, "['A', 'A'], but in", "A=1,B=2", "1 A B", {}, ("update", 1, ["A", "A"])),
    Bad("has_unfinished", 3, None, "is True, but nobody waiting", "A=2", TWO, {}, ("has_unfinished", 3, True)),
    Bad("has_unfinished", 2, None, "is False, but nobody waiting and A running", "A=2", TWO,
        {}, ("has_unfinished", 2, False)),
    Bad("has_unfinished", 1, None, "returned 1 (int), not True or False", "A=2,B=1", TWO,
        {}, ("has_unfinished", 1, 1)),
    Bad("has_unfinished", 3, None, "is False, but B waiting", "A=2,B=1", TWO, scheduler=Losing),
    Bad("stalled", 3, None, "A, C, D, E, F and 2 more waiting", "Y=1,B=1,A=1,C=1,D=1,E=1,F=1,G=1,H=1",
        "1 Y\n2 B"),
    Bad("stalled", 3, None, "B waiting and A running, with 7 of 8 blocks free", "A=3,B=3", TWO, pool={}),
    Bad("bound", 5, None, "over by tick 4, but B waiting and A running", "A=2+1,B=2+1", ping_pong, EVICT | CHUNKED),
    Bad("bound", 7, None, "over by tick 6, but A waiting and B running", "A=2+1@1,B=2+1@1,R=1",
        lambda: chain([Schedule({})], ping_pong()), EVICT | CHUNKED),
]  # fmt: skip


bad_runs = pytest.mark.parametrize("bad", BAD, ids=[f"{bad.rule}-{i}" for i, bad in enumerate(BAD)])


def test_every_rule_is_broken_here() -> None:
    assert {bad.rule for bad in BAD} == set(RULES) - {"kv_content", "logits"}  # those need a model


@bad_runs
def test_violation_is_raised_with_tick_request_and_numbers(bad: Bad) -> None:
    with pytest.raises(RuleViolation) as raised:
        bad.run("raise")
    violation = raised.value
    assert (violation.rule, violation.tick, violation.request_id) == (bad.rule, bad.tick, bad.request_id)
    assert bad.says in violation.what
    assert str(violation) == f"Tick {bad.tick}: {violation.what}. Rule: {RULES[bad.rule]}"
    assert bad.request_id is None or bad.request_id in re.findall(r"\w+", violation.what)
    assert isinstance(violation, ViolationInRun), "it does not carry the run up to there"
    assert len(violation.trace.ticks) in (bad.tick - 1, bad.tick)


@bad_runs
def test_violation_is_recorded_and_the_run_ends(bad: Bad) -> None:
    trace = bad.run("record")
    violation = trace.violation
    assert isinstance(violation, ViolationInRun) and violation.trace is trace
    assert (violation.rule, violation.tick, violation.request_id) == (bad.rule, bad.tick, bad.request_id)
    assert json.loads(trace_json(trace))["violation"] == str(violation) and bad.says in str(violation)
    assert len(timeline(trace, ASCII, 80).splitlines()) >= (3 if trace.ticks else 0)
    assert len(tick_table(trace).splitlines()) == trace.num_ticks + 1


def test_bad_runs_are_bad_in_one_thing_only() -> None:
    """The parts that the bad runs are made of break no rule by themselves."""
    for jobs, ticks, config in [
        ("A=6+3", SIX, {}),
        ("A=4", f"{TWO}\n3 A\n4 A", {}),
        ("A=3,B=3", "1 A B\n2 A -B\n3 A\n4 B:2\n5 B", EVICT),
    ]:
        trace = Bad("live", 0, None, "", jobs, ticks, config, pool={}).run("raise")
        assert trace.finish_ticks and "\n".join(map(schedule_text, schedules_of(trace))) == "\n".join(
            line[2:] for line in ticks.splitlines()
        )


def test_only_the_first_violation_is_recorded() -> None:
    trace = Bad("slots", 1, None, "", "A=2,B=2,C=2", "1 A B C\n2 A:2 B Z").run("record")
    assert trace.violation is not None and (trace.violation.rule, trace.violation.tick) == ("slots", 1)
    assert [schedule_text(schedule) for schedule in schedules_of(trace)] == ["A B C", "A B", "idle"]
    assert trace.finish_ticks == {"A": 2, "B": 2} and trace.requests["C"].status == "unfinished"


class Mutating(Scripted):
    """Uses everything that it was given or has given away for something else."""

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        finished = super().update(sampled)
        self.decision.num_scheduled_tokens.clear()
        self.decision.num_scheduled_tokens["Z"] = 7
        sampled.clear()  # type: ignore[attr-defined]
        return finished


def test_a_scheduler_may_change_its_dicts_later() -> None:
    traces = [
        trace_json(Bad("live", 0, None, "", "A=3+2,B=1", "1 A:3 B\n2 A", scheduler=scheduler).run("raise"))
        for scheduler in (Scripted, Mutating)
    ]
    assert traces[0] == traces[1] and '"Z"' not in traces[0]


def test_two_jobs_with_one_id() -> None:
    with pytest.raises(ValueError, match="two jobs have the id A"):
        simulate(Scripted("", None, None), parse_jobs("A=1,B=1,A=2"))


@pytest.mark.parametrize(
    ("jobs", "ticks", "calls"),
    [
        ("A=1,B=1", "1 A B", "add A,add B,tick"),
        ("C=1@1,B=1,A=1@1", "1 B\n2 C A", "add B,tick,add C,add A,tick"),
        ("A=1@2", "1 idle\n2 idle\n3 A", "tick,tick,add A,tick"),
        ("A=3~0,B=1", "1 B", "add A,add B,abort A,tick"),  # at its arrival, after all arrivals
        ("A=3@1~1", "1 idle", "tick,add A,abort A"),  # nothing is left: the run ends without that tick
        ("A=1~1,B=2", "1 A B\n2 B", "add A,add B,tick,abort A,tick"),  # late
        ("A=1~5", "1 A", "add A,tick"),  # later than the run
        ("B=2~1,A=2~1", "1 B A", "add B,add A,tick,abort B,abort A"),
        ("R=1~1,A=2", "1 A\n2 A", "add R,add A,tick,abort R,tick"),
        ("R=1", "", "add R"),
    ],
)
def test_what_is_called_and_when(jobs: str, ticks: str, calls: str) -> None:
    scheduler = Scripted(ticks, SchedulerConfig(2), None)
    trace = simulate(scheduler, parse_jobs(jobs))
    assert ",".join(scheduler.calls).replace("schedule,update", "tick") == calls
    assert schedules_of(trace) == parse_ticks(ticks)


def test_no_jobs_is_no_tick() -> None:
    assert simulate(Scripted("", None, None), []).num_ticks == 0


def test_aborts_and_refusals_are_in_the_trace() -> None:
    trace = simulate(Scripted("1 A B\n2 B", None, None), parse_jobs("A=1~1,B=2,C=5~1,R=3"))
    assert {name: record.status for name, record in trace.requests.items()} == {
        "A": "finished", "B": "finished", "C": "aborted", "R": "refused",
    }  # fmt: skip
    assert (trace.ticks[0].refused, trace.ticks[0].aborted, trace.ticks[1].aborted) == (("R",), (), ("C",))
    assert (trace.aborted, trace.refused, trace.ticks[0].num_waiting, trace.ticks[1].num_waiting) == (
        ["C"],
        ["R"],
        1,
        0,
    )


def test_without_config_only_rules_without_a_limit_are_checked() -> None:
    trace = simulate(Scripted("1 A:2 B\n2 A:4 C -B\n3 B:2", None, None), parse_jobs("A=6+1,B=2,C=1"))
    assert trace.limits is None and trace.slot_utilization is None and trace.finish_ticks == {"A": 2, "C": 2, "B": 3}
    with pytest.raises(RuleViolation, match="Tick 1: A was scheduled for 7"):
        simulate(Scripted("1 A:7", None, None), parse_jobs("A=6+1"))


@pytest.mark.parametrize("config", [None, SchedulerConfig(9, 99)])
def test_limits_given_to_the_loop_count(config: SchedulerConfig | None) -> None:
    jobs = parse_jobs("A=1,B=1,C=1")
    with pytest.raises(RuleViolation, match="Tick 1: 3 sequences"):
        serve(Scripted("1 A B C", config, None), jobs, SimulatedExecutor(jobs), limits=SchedulerConfig(2))


STATIC, CONTINUOUS = (Submission(SOLUTION).get_class(name) for name in SCHEDULER_CLASSES.values())


def test_static_batching_is_not_held_to_a_token_budget() -> None:
    trace = simulate(STATIC(SchedulerConfig(2, 4, True, 2)), parse_jobs("A=3+1,B=3+1"))
    assert [schedule_text(schedule) for schedule in schedules_of(trace)] == ["A:3 B:3"]
    assert trace.limits == SchedulerConfig(2, prefill_chunk_size=2)


def test_a_continuous_scheduler_that_inherits_from_a_static_one_is_held_to_its_whole_config() -> None:
    static = type("StaticScheduler", (Scripted,), {})
    scheduler: Scripted = type("ContinuousScheduler", (static,), {})("", SchedulerConfig(2, 4, True), None)
    assert limits_of(scheduler) == SchedulerConfig(2, 4, True)


LINES_LOADED = """
import json, sys
from pathlib import Path
import batching_lab.loop
files = {name: Path(module.__file__) for name, module in sys.modules.items() if name.split(".")[0] == "batching_lab"}
print(json.dumps({name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in files.items()}))
"""


def test_the_loop_and_all_that_it_imports_can_be_read_in_an_hour() -> None:
    ran = subprocess.run([sys.executable, "-c", LINES_LOADED], capture_output=True, text=True, check=True)
    lines: dict[str, int] = json.loads(ran.stdout)
    told = "\n".join(f"{count:5} {name}" for name, count in sorted(lines.items(), key=lambda item: -item[1]))
    assert "batching_lab.loop" in lines and sum(lines.values()) <= 1150, f"{sum(lines.values())} lines:\n{told}"


def test_an_allocator_may_be_false() -> None:
    """One with `__len__` is, while it holds nothing."""
    pool: Pool = type("Counted", (Pool,), {"__len__": lambda self: len(self.tables)})(4, 2)
    trace = simulate(Scripted(TWO, None, pool), decode_only([("A", 2)]), pool)
    assert (trace.num_blocks, trace.block_size, trace.kv_utilization) == (4, 2, 0.25)


@pytest.mark.parametrize(
    ("jobs", "static", "continuous"),
    [
        ("A=4,B=1,C=1", {"B": 1, "A": 4, "C": 5}, {"B": 1, "C": 2, "A": 4}),
        ("A=20,B=1,C=1", {"B": 1, "A": 20, "C": 21}, {"B": 1, "C": 2, "A": 20}),
        ("A=4,B=4,C=4,D=4", {"A": 4, "B": 4, "C": 8, "D": 8}, {"A": 4, "B": 4, "C": 8, "D": 8}),
    ],
)
def test_seed_examples(jobs: str, static: dict[str, int], continuous: dict[str, int]) -> None:
    for scheduler, finish_ticks in ((STATIC, static), (CONTINUOUS, continuous)):
        trace = simulate(scheduler(SchedulerConfig(2)), parse_jobs(jobs))
        assert list(trace.finish_ticks.items()) == list(finish_ticks.items())
        assert trace.num_ticks == max(finish_ticks.values())
