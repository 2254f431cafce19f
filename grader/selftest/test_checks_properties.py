"""The serving loop's checks on random runs: a run that breaks one rule is refused with that rule and tick, and a run
that keeps all of them passes.

A right scheduler's run is recorded moment by moment. Played back as it was it passes; played back with one moment
changed so that a certain rule is broken, it does not.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cache
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from batching_lab import (
    Job,
    Request,
    RequestTooLong,
    RuleViolation,
    Schedule,
    SchedulerConfig,
    Sequence,
    SimulatedExecutor,
    Trace,
    serve,
)
from batching_lab.checks import ViolationInRun
from batching_lab.config import SCHEDULER_CLASSES, limits_for
from batching_lab.harness import Workload
from batching_lab.rules import RULES
from batching_lab.submission.loading import Submission
from batching_lab.workloads.jobs import make_job
from grader.hidden import workloads
from grader.paths import SOLUTION
from grader.worker.block_pool import BlockPool

MAKERS = (workloads.slots_only, workloads.two_budgets, workloads.chunked, workloads.max_utilization)
RUNS_PER_MAKER = 20
SEEDS = st.integers(0, 1 << 20)
few = settings(derandomize=True, max_examples=12, deadline=None)
many = settings(derandomize=True, max_examples=150, deadline=None)


@dataclass(frozen=True)
class Blocks:
    """What an allocator says at one time."""

    tables: dict[str, Any] = field(default_factory=dict)
    free: Any = 0

    def with_table(self, request_id: str, table: Any, free: Any = None) -> "Blocks":
        return Blocks({**self.tables, request_id: table}, self.free if free is None else free)


@dataclass(frozen=True)
class Moment:
    """One tick of a run: what was the case at its boundary, and what scheduler and allocator answer in it.

    live            waiting and running requests -> uncomputed tokens, in order of arrival
    computed        the same -> c
    running         those of them in slots, before `schedule`
    aborted         at this boundary, out of a slot
    outsiders       ids that can't be scheduled: not arrived yet, refused, finished or aborted
    is_tick         false at the last boundary of a run, which no tick follows
    """

    limits: SchedulerConfig
    num_blocks: int | None
    block_size: int | None
    live: dict[str, int]
    computed: dict[str, int]
    running: list[str]
    aborted: list[str]
    outsiders: list[str]
    has_unfinished: Any
    at_boundary: Blocks
    is_tick: bool = False
    schedule: Any = None
    after_schedule: Blocks = Blocks()
    finished: Any = None
    after_update: Blocks = Blocks()

    @property
    def plan(self) -> dict[str, int]:
        plan: dict[str, int] = self.schedule.num_scheduled_tokens if self.is_tick else {}
        return plan

    @property
    def preempted(self) -> tuple[str, ...]:
        return self.schedule.preempted if self.is_tick else ()

    @property
    def now_running(self) -> list[str]:
        """In slots during the tick."""
        kept = [name for name in self.running if name not in self.preempted]
        return kept + [name for name in self.plan if name not in kept]

    @property
    def waiting(self) -> list[str]:
        """Not in a slot during the tick."""
        return [name for name in self.live if name not in self.now_running]

    def with_plan(self, plan: Any, preempted: Any = None) -> "Moment":
        return replace(self, schedule=Schedule(plan, self.preempted if preempted is None else preempted))

    def new_blocks(self, request_id: str) -> list[int]:
        """What was added to its table in this tick."""
        held = self.at_boundary.tables[request_id] if request_id in self.running else []
        new: list[int] = self.after_schedule.tables[request_id][len(held) :]
        return new

    def unused_blocks(self, blocks: Blocks) -> list[int]:
        used = {block for table in blocks.tables.values() for block in table}
        return [block for block in range(self.num_blocks or 0) if block not in used]


class Recorder:
    """A scheduler that passes everything on to a right one and writes down what happens."""

    def __init__(self, workload: Workload) -> None:
        self.limits = limits_for(workload.policy, workload.config)
        self.pool = None if workload.pool is None else BlockPool(*workload.pool)
        scheduler_class = Submission(SOLUTION).get_class(SCHEDULER_CLASSES[workload.policy])
        self.scheduler = scheduler_class(workload.config, self.pool)
        self.block_size = workload.block_size
        self.names = [job.request.request_id for job in workload.jobs]
        self.sequences: dict[str, Sequence] = {}
        self.running: list[str] = []
        self.aborted: list[str] = []
        self.refused: set[str] = set()
        self.moments: list[Moment] = []

    def blocks(self) -> Blocks:
        if self.pool is None:
            return Blocks()
        return Blocks({name: self.pool.block_table(name) for name in self.names}, self.pool.num_free_blocks)

    def add_request(self, request: Request) -> None:
        try:
            self.scheduler.add_request(request)
        except RequestTooLong:
            self.refused.add(request.request_id)
            raise
        self.sequences[request.request_id] = Sequence(request)

    def abort(self, request_id: str) -> None:
        self.scheduler.abort(request_id)
        self.sequences.pop(request_id, None)
        if request_id in self.running:
            self.running.remove(request_id)
            self.aborted.append(request_id)

    def has_unfinished(self) -> bool:
        answer: bool = self.scheduler.has_unfinished()
        moment = Moment(
            limits=self.limits,
            num_blocks=None if self.pool is None else self.pool.num_blocks,
            block_size=self.block_size,
            live={name: sequence.num_uncomputed_tokens for name, sequence in self.sequences.items()},
            computed={name: sequence.num_computed_tokens for name, sequence in self.sequences.items()},
            running=list(self.running),
            aborted=self.aborted,
            outsiders=[name for name in self.names if name not in self.sequences],
            has_unfinished=answer,
            at_boundary=self.blocks(),
        )
        self.aborted = []
        self.moments.append(moment)
        return answer

    def schedule(self) -> Schedule:
        schedule: Schedule = self.scheduler.schedule()
        copy = Schedule(dict(schedule.num_scheduled_tokens), schedule.preempted)
        self.moments[-1] = replace(self.moments[-1], is_tick=True, schedule=copy, after_schedule=self.blocks())
        for name in schedule.preempted:
            self.sequences[name].num_computed_tokens = 0
        self.running = self.moments[-1].now_running
        return schedule

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        finished: list[str] = self.scheduler.update(sampled)
        for name, num_tokens in self.moments[-1].plan.items():
            self.sequences[name].num_computed_tokens += num_tokens
            if name in sampled:
                self.sequences[name].output_token_ids.append(sampled[name])
        for name in finished:
            del self.sequences[name]
            self.running.remove(name)
        self.moments[-1] = replace(self.moments[-1], finished=finished, after_update=self.blocks())
        return finished


class Player:
    """Scheduler and allocator in one: says what stands in the moments, and then nothing more."""

    def __init__(self, moments: list[Moment], refused: set[str]) -> None:
        self.moments = moments
        self.refused = refused
        self.num_blocks = moments[0].num_blocks
        self.block_size = moments[0].block_size
        self.tick = 0
        self.blocks = moments[0].at_boundary

    def add_request(self, request: Request) -> None:
        if request.request_id in self.refused:
            raise RequestTooLong

    def abort(self, request_id: str) -> None:
        pass

    def has_unfinished(self) -> bool:
        self.tick += 1
        self.blocks = self.now.at_boundary
        answer: bool = self.now.has_unfinished
        return answer

    def schedule(self) -> Schedule:
        self.blocks = self.now.after_schedule
        return self.now.schedule if self.now.is_tick else Schedule({})

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        self.blocks = self.now.after_update
        finished: list[str] = self.now.finished if self.now.is_tick else []
        return finished

    @property
    def now(self) -> Moment:
        return self.moments[min(self.tick, len(self.moments)) - 1]

    @property
    def num_free_blocks(self) -> int:
        free: int = self.blocks.free
        return free

    def block_table(self, request_id: str) -> list[int]:
        table = self.blocks.tables.get(request_id, [])
        return list(table) if type(table) is list else table


@dataclass(frozen=True)
class Run:
    workload: Workload
    moments: list[Moment]
    refused: set[str]

    def play(
        self, checks: Literal["raise", "record"], changes: Mapping[int, Moment] | None = None, has_limits: bool = True
    ) -> Trace:
        """changes: index of a moment -> what it becomes."""
        moments = [(changes or {}).get(index, moment) for index, moment in enumerate(self.moments)]
        player = Player(moments, self.refused)
        allocator: Any = None if self.workload.num_blocks is None else player
        limits = moments[0].limits if has_limits else None
        return serve(
            player, self.workload.jobs, SimulatedExecutor(self.workload.jobs), allocator, checks, limits=limits
        )


def record(workload: Workload) -> Run:
    recorder = Recorder(workload)
    allocator: Any = recorder.pool
    serve(recorder, workload.jobs, SimulatedExecutor(workload.jobs), allocator, limits=recorder.limits)
    return Run(workload, recorder.moments, recorder.refused)


@cache
def runs() -> list[Run]:
    return [record(make(seed)) for make in MAKERS for seed in range(1000, 1000 + RUNS_PER_MAKER)]


# -- one change that breaks one rule

Fault = Callable[[Moment], Iterator[Moment]]
Values = tuple[Any, ...]
FAULTS: list[tuple[str, Fault]] = []


def breaks(rule: str) -> Callable[[Fault], Fault]:
    """Marks a function that yields versions of a moment in each of which this rule is the first to be broken."""

    def mark(fault: Fault) -> Fault:
        FAULTS.append((rule, fault))
        return fault

    return mark


class Number(IntEnum):
    ONE = 1


class Text(str):
    pass


@breaks("schedule_type")
def a_schedule_of_another_type(t: Moment) -> Iterator[Moment]:
    if t.is_tick:
        wrong: Values = (None, {}, t.plan, (t.plan, t.preempted), [], "idle", Schedule, 0)
        yield from (replace(t, schedule=value) for value in wrong)
        wrong = (None, [], tuple(t.plan.items()), set(t.plan))
        yield from (t.with_plan(value) for value in wrong)
        wrong = ([], list(t.preempted), "A", {}, (1,), (None,), ((),))
        yield from (t.with_plan(t.plan, value) for value in wrong)


@breaks("schedule_type")
def a_number_of_tokens_that_is_no_int(t: Moment) -> Iterator[Moment]:
    for name, num_tokens in t.plan.items():
        for value in (True, float(num_tokens), str(num_tokens), None, Number.ONE):
            yield t.with_plan({**t.plan, name: value})


@breaks("schedule_type")
def an_id_that_is_no_str(t: Moment) -> Iterator[Moment]:
    if t.is_tick:
        yield from (t.with_plan({**t.plan, name: 1}) for name in (0, None, (), b"r0", Text("r0x")))
        yield from (t.with_plan({Text(name): m for name, m in t.plan.items()}) for _ in t.plan)


@breaks("live")
def somebody_else_is_scheduled(t: Moment) -> Iterator[Moment]:
    if t.is_tick:
        for name in ["nobody", "", *t.outsiders]:
            yield t.with_plan({**t.plan, name: 1})
            yield t.with_plan({name: 1, **t.plan})
            yield t.with_plan({**t.plan, name: 0})


@breaks("num_tokens")
def too_few_or_too_many_tokens(t: Moment) -> Iterator[Moment]:
    for name in t.plan:
        left = t.live[name] + (t.computed[name] if name in t.preempted else 0)
        yield from (t.with_plan({**t.plan, name: m}) for m in (0, -1, -(10**30), left + 1, left + 7, 10**30))


@breaks("num_tokens")
def a_waiting_sequence_computes_nothing(t: Moment) -> Iterator[Moment]:
    if t.is_tick:
        yield from (t.with_plan({**t.plan, name: 0}) for name in t.waiting if name not in t.preempted)


@breaks("chunking")
def a_prompt_in_pieces_without_chunked_prefill(t: Moment) -> Iterator[Moment]:
    if not t.limits.enable_chunked_prefill:
        for name, num_tokens in t.plan.items():
            yield from (t.with_plan({**t.plan, name: m}) for m in {1, num_tokens - 1} if 1 <= m < num_tokens)


@breaks("chunk_size")
def a_chunk_that_is_too_large(t: Moment) -> Iterator[Moment]:
    size = t.limits.prefill_chunk_size
    if t.limits.enable_chunked_prefill and size is not None:
        yield from (
            t.with_plan({**t.plan, name: m})
            for name in t.plan
            for m in (size + 1, t.live[name])
            if size < m <= t.live[name]
        )


@breaks("token_budget")
def one_token_more_than_the_budget(t: Moment) -> Iterator[Moment]:
    budget = t.limits.max_num_batched_tokens
    if t.is_tick and budget is not None:
        room = budget - sum(t.plan.values())
        chunk = t.limits.prefill_chunk_size or budget + 1
        for name in t.live:
            more = t.live[name] - t.plan.get(name, 0)
            if name in t.preempted:
                continue
            if t.limits.enable_chunked_prefill:
                if room < more and t.plan.get(name, 0) + room + 1 <= chunk:
                    yield t.with_plan({**t.plan, name: t.plan.get(name, 0) + room + 1})
            elif name not in t.plan and more > room:
                yield t.with_plan({**t.plan, name: more})


@breaks("slots")
def one_sequence_more_than_there_are_slots(t: Moment) -> Iterator[Moment]:
    budget = t.limits.max_num_batched_tokens
    if t.is_tick and len(t.now_running) == t.limits.max_num_seqs:
        for name in t.waiting:
            num_tokens = 1 if t.limits.enable_chunked_prefill else t.live[name]
            if name not in t.preempted and (budget is None or sum(t.plan.values()) + num_tokens <= budget):
                yield t.with_plan({**t.plan, name: num_tokens})


@breaks("preemption")
def somebody_is_preempted_who_was_not_running(t: Moment) -> Iterator[Moment]:
    if t.is_tick and t.limits.kv_policy == "max_utilization":
        admitted = [name for name in t.plan if name not in t.running]
        waited = [name for name in t.waiting if name not in t.running]
        for name in ["nobody", *t.outsiders, *waited, *admitted, *t.preempted]:
            yield t.with_plan(t.plan, (*t.preempted, name))


@breaks("preemption")
def somebody_is_preempted_and_scheduled(t: Moment) -> Iterator[Moment]:
    if t.limits.kv_policy == "max_utilization":
        yield from (t.with_plan(t.plan, (name, *t.preempted)) for name in t.plan if name in t.running)
        yield from (t.with_plan({**t.plan, name: 1}) for name in t.preempted)


@breaks("no_evict")
def somebody_is_preempted_where_nobody_may_be(t: Moment) -> Iterator[Moment]:
    if t.is_tick and t.limits.kv_policy == "guaranteed_no_evict":
        yield from (t.with_plan(t.plan, (name,)) for name in ["nobody", *t.live, *t.outsiders])
        yield from (t.with_plan({n: m for n, m in t.plan.items() if n != name}, (name,)) for name in t.running)


@breaks("stalled")
def nothing_is_scheduled_while_there_is_work(t: Moment) -> Iterator[Moment]:
    if t.is_tick and t.live:
        yield t.with_plan({}, ())
        yield t.with_plan({})


@breaks("blocks_held")
def a_running_sequence_takes_a_block_without_computing(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        for name in t.plan:
            if name in t.running and t.new_blocks(name) and len(t.plan) > 1:
                yield t.with_plan({n: m for n, m in t.plan.items() if n != name})


@breaks("free_blocks")
def blocks_for_a_sequence_that_is_not_scheduled(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        for name in t.plan:
            if name not in t.running and len(t.plan) > 1:
                yield t.with_plan({n: m for n, m in t.plan.items() if n != name})


@breaks("blocks_held")
def one_block_more(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        now = t.after_schedule
        for block in t.unused_blocks(now)[:2]:
            for name in t.now_running:
                yield replace(t, after_schedule=now.with_table(name, [*now.tables[name], block], now.free - 1))


@breaks("blocks_held")
def one_block_less(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        now = t.after_schedule
        for name in t.now_running:
            if t.new_blocks(name):
                yield replace(t, after_schedule=now.with_table(name, now.tables[name][:-1], now.free + 1))


@breaks("block_table")
def a_block_that_was_held_is_lost(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        now = t.after_schedule
        for name in t.now_running:
            table = now.tables[name]
            num_old = len(table) - len(t.new_blocks(name))
            for position in range(num_old):
                yield replace(t, after_schedule=now.with_table(name, table[:position], now.free))
                yield replace(t, after_schedule=now.with_table(name, table[:position] + table[position + 1 :]))
                yield from (
                    replace(t, after_schedule=now.with_table(name, [*table[:position], other, *table[position + 1 :]]))
                    for other in (*t.unused_blocks(now)[:1], -1, None)
                )
            if num_old and len(table) > 1:
                yield replace(t, after_schedule=now.with_table(name, table[::-1]))
                yield replace(t, after_schedule=now.with_table(name, table[1:] + table[:1]))


@breaks("block_table")
def a_table_of_another_type(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        now = t.after_schedule
        for name in t.now_running:
            table = now.tables[name]
            wrong = (None, tuple(table), dict.fromkeys(table), set(table), len(table), str(table))
            yield from (replace(t, after_schedule=now.with_table(name, value)) for value in wrong)
            for block in t.new_blocks(name):
                position = table.index(block)
                for value in (float(block), str(block), None, [block]):
                    changed = [*table[:position], value, *table[position + 1 :]]
                    yield replace(t, after_schedule=now.with_table(name, changed))


def new_block_replaced(t: Moment, request_id: str, others: list[int]) -> Iterator[Moment]:
    """Each new block of a request replaced by each of the others."""
    now = t.after_schedule
    for block in t.new_blocks(request_id):
        for other in others:
            table = [other if held == block else held for held in now.tables[request_id]]
            yield replace(t, after_schedule=now.with_table(request_id, table))


@breaks("block_id")
def a_block_that_is_not_in_the_pool(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        for name in t.now_running:
            yield from new_block_replaced(t, name, [-1, t.num_blocks, t.num_blocks + 100, -t.num_blocks])


@breaks("block_owner")
def a_block_in_two_places(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        for name in t.now_running:
            for other in t.now_running:
                blocks = t.after_schedule.tables[other]
                new = t.new_blocks(name)
                yield from new_block_replaced(t, name, [b for b in blocks if other != name or b not in new])
                if other == name and len(new) > 1:
                    now = t.after_schedule
                    yield replace(t, after_schedule=now.with_table(name, [*now.tables[name][:-1], new[0]]))


@breaks("blocks_released")
def blocks_kept_after_the_end(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        for name in t.finished or ():
            table = t.after_schedule.tables[name]
            now = t.after_update
            yield replace(t, after_update=now.with_table(name, table, now.free - len(table)))
            yield replace(t, after_update=now.with_table(name, table))
            yield replace(t, after_update=now.with_table(name, table[:1], now.free - 1))
            wrong: Values = (None, (), {}, 0)
            yield from (replace(t, after_update=now.with_table(name, value)) for value in wrong)


@breaks("blocks_released")
def blocks_kept_after_a_preemption(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        for name in t.preempted:
            table, now = t.at_boundary.tables[name], t.after_schedule
            yield replace(t, after_schedule=now.with_table(name, table, now.free - len(table)))
            yield replace(t, after_schedule=now.with_table(name, table[-1:], now.free - 1))


@breaks("blocks_released")
def blocks_kept_after_an_abort(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        for name in t.aborted:
            for table in ([0], list(range(t.num_blocks)), None):
                yield replace(t, at_boundary=t.at_boundary.with_table(name, table))
                yield replace(t, at_boundary=t.at_boundary.with_table(name, table, t.at_boundary.free - 1))


@breaks("free_blocks")
def a_wrong_number_of_free_blocks(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        for wrong in (-1, 1, 10**30):
            yield replace(t, at_boundary=replace(t.at_boundary, free=t.at_boundary.free + wrong))
            if t.is_tick:
                yield replace(t, after_schedule=replace(t.after_schedule, free=t.after_schedule.free + wrong))
                yield replace(t, after_update=replace(t.after_update, free=t.after_update.free + wrong))


@breaks("free_blocks")
def a_number_of_free_blocks_that_is_no_int(t: Moment) -> Iterator[Moment]:
    if t.num_blocks:
        for wrong in (float, str, lambda free: None, lambda free: bool(free) if free in (0, 1) else [free]):
            yield replace(t, at_boundary=replace(t.at_boundary, free=wrong(t.at_boundary.free)))


@breaks("free_blocks")
def blocks_for_a_waiting_sequence(t: Moment) -> Iterator[Moment]:
    if t.num_blocks and t.is_tick:
        now = t.after_schedule
        for block in t.unused_blocks(now)[:1]:
            for name in t.waiting:
                if name not in t.preempted:
                    yield replace(t, after_schedule=now.with_table(name, [block], now.free - 1))


@breaks("update_type")
def an_update_of_another_type(t: Moment) -> Iterator[Moment]:
    if t.is_tick:
        wrong = (None, tuple(t.finished), set(t.finished), dict.fromkeys(t.finished), "", 0, [0], [None], [Text("r0")])
        yield from (replace(t, finished=value) for value in wrong)


@breaks("finished")
def an_end_that_is_not_told(t: Moment) -> Iterator[Moment]:
    yield from (replace(t, finished=[n for n in t.finished if n != name]) for name in t.finished or ())
    if t.finished:
        yield replace(t, finished=[])


@breaks("finished")
def an_end_that_is_none(t: Moment) -> Iterator[Moment]:
    if t.is_tick:
        going_on = [name for name in t.live if name not in t.finished]
        for name in ["nobody", *going_on, *t.outsiders]:
            yield replace(t, finished=[*t.finished, name])
            yield replace(t, finished=[name, *t.finished])


@breaks("finished")
def ends_in_another_order_or_twice(t: Moment) -> Iterator[Moment]:
    if t.finished:
        yield from (replace(t, finished=[*t.finished, name]) for name in t.finished)
    if t.finished and len(t.finished) > 1:
        yield replace(t, finished=t.finished[::-1])
        yield replace(t, finished=t.finished[1:] + t.finished[:1])


@breaks("has_unfinished")
def a_lie_about_what_is_unfinished(t: Moment) -> Iterator[Moment]:
    truth = bool(t.live)
    yield from (replace(t, has_unfinished=answer) for answer in (not truth, None, int(truth), list(t.live), "yes"))


def signature(violation: RuleViolation | None) -> Values:
    return () if violation is None else (violation.rule, violation.tick, violation.what, violation.request_id)


@pytest.mark.parametrize(("rule", "fault"), FAULTS, ids=[fault.__name__ for _, fault in FAULTS])
def test_a_broken_rule_is_refused(rule: str, fault: Fault) -> None:
    """With the rule that is broken, in the tick that breaks it; recording it instead, the run goes on to an end."""
    places = [
        (run, index, changed) for run in runs() for index, moment in enumerate(run.moments) for changed in fault(moment)
    ]
    assert len(places) >= 30, "too few places to break this rule"

    @few
    @given(st.integers(0, len(places) - 1), SEEDS)
    def check(start: int, seed: int) -> None:
        for run, index, changed in [places[start], random.Random(seed).choice(places)]:
            with pytest.raises(RuleViolation) as raised:
                run.play("raise", {index: changed})
            assert (raised.value.rule, raised.value.tick) == (rule, index + 1), str(raised.value)
            assert isinstance(raised.value, ViolationInRun) and len(raised.value.trace.ticks) in (index, index + 1)
            recorded = run.play("record", {index: changed})
            assert signature(recorded.violation) == signature(raised.value)

    check()


def test_all_rules_but_the_bound_are_broken_above() -> None:
    of_the_model = {"kv_content", "logits"}
    assert {rule for rule, _ in FAULTS} == set(RULES) - {"bound"} - of_the_model


@many
@given(SEEDS, st.integers(1, 6))
def test_many_faults_in_one_run_are_recorded_once(seed: int, num_changes: int) -> None:
    """Whatever else goes wrong: the first violation stays the first, and recording never raises."""
    rng = random.Random(seed)
    run = rng.choice(runs())
    changes: dict[int, Moment] = {}
    for index in rng.sample(range(len(run.moments)), min(num_changes, len(run.moments))):
        _, fault = rng.choice(FAULTS)
        changed = list(fault(run.moments[index]))
        if changed:
            changes[index] = rng.choice(changed)
    recorded = run.play("record", changes)
    assert (recorded.violation is None) == (changes == {})
    if recorded.violation is not None:
        assert recorded.violation.tick == min(changes) + 1
        with pytest.raises(RuleViolation) as raised:
            run.play("raise", changes)
        assert signature(raised.value) == signature(recorded.violation)


# -- runs that keep all rules


def shuffled(rng: random.Random, t: Moment) -> Moment:
    """The same tick with everybody in another order."""
    plan = rng.sample(list(t.plan.items()), len(t.plan))
    finished = [name for name, _ in plan if name in t.finished]
    preempted = tuple(rng.sample(t.preempted, len(t.preempted)))
    return replace(t, schedule=Schedule(dict(plan), preempted), finished=finished)


def with_other_ids(t: Moment, ids: list[int]) -> Moment:
    """The same tick with the blocks numbered in another way."""

    def renumbered(blocks: Blocks) -> Blocks:
        return replace(blocks, tables={name: [ids[b] for b in table] for name, table in blocks.tables.items()})

    return replace(
        t,
        at_boundary=renumbered(t.at_boundary),
        after_schedule=renumbered(t.after_schedule),
        after_update=renumbered(t.after_update),
    )


@many
@given(SEEDS)
def test_another_order_and_other_blocks_are_no_fault(seed: int) -> None:
    rng = random.Random(seed)
    run = rng.choice(runs())
    ids = rng.sample(range(run.workload.num_blocks or 0), run.workload.num_blocks or 0)
    changes = {}
    for index, moment in enumerate(run.moments):
        changes[index] = with_other_ids(shuffled(rng, moment) if moment.is_tick else moment, ids)
    plain = run.play("raise")
    for has_limits in (True, False):
        assert run.play("raise", changes, has_limits).finish_ticks == plain.finish_ticks
    assert run.play("record", changes).violation is None


class Lottery:
    """Keeps every rule that the loop checks and leaves all else to chance: order, admission, chunks, victims.

    Preempts only while the bound leaves time to compute again what is lost.
    """

    def __init__(self, rng: random.Random, workload: Workload) -> None:
        self.rng = rng
        self.config = limits_for(workload.policy, workload.config)
        self.pool = None if workload.pool is None else BlockPool(*workload.pool)
        self.waiting: list[Sequence] = []
        self.running: list[Sequence] = []
        self.plan: list[tuple[Sequence, int]] = []
        self.slack = 0
        self.num_preempted = 0

    def most_tokens(self, request: Request) -> int:
        return len(request.prompt_token_ids) + request.max_tokens - 1

    def most_blocks(self, sequence: Sequence) -> int:
        return 0 if self.pool is None else -(-self.most_tokens(sequence.request) // self.pool.block_size)

    def add_request(self, request: Request) -> None:
        new = Sequence(request)
        budget = None if self.config.enable_chunked_prefill else self.config.max_num_batched_tokens
        too_long = budget is not None and self.most_tokens(request) > budget
        if too_long or (self.pool is not None and self.most_blocks(new) > self.pool.num_blocks):
            raise RequestTooLong
        self.waiting.insert(self.rng.randint(0, len(self.waiting)), new)

    def abort(self, request_id: str) -> None:
        for sequence in self.waiting + self.running:
            if sequence.request.request_id == request_id:
                self.leave(sequence)

    def leave(self, sequence: Sequence) -> None:
        (self.running if sequence in self.running else self.waiting).remove(sequence)
        if self.pool is not None and self.pool.block_table(sequence.request.request_id):
            self.pool.free(sequence.request.request_id)

    def has_unfinished(self) -> bool:
        return bool(self.waiting or self.running)

    def schedule(self) -> Schedule:
        preempted = self.preempt() if self.config.kv_policy == "max_utilization" else []
        budget = self.config.max_num_batched_tokens or 1 << 60
        self.plan = []
        candidates = self.running + self.waiting
        for sequence in self.rng.sample(candidates, len(candidates)):
            num_tokens = self.choose_tokens(sequence, budget)
            is_victim = sequence.request.request_id in preempted
            skipped = self.plan and self.rng.random() < 0.2
            if num_tokens and not is_victim and not skipped and (sequence in self.running or self.can_start(sequence)):
                if sequence not in self.running:
                    self.waiting.remove(sequence)
                    self.running.append(sequence)
                budget -= num_tokens
                self.plan.append((sequence, num_tokens))
                if self.pool is not None:
                    num_known = sequence.num_computed_tokens + num_tokens
                    self.pool.allocate(sequence.request.request_id, num_known)
        self.slack += max(0, sum(num_tokens for _, num_tokens in self.plan) - 1)
        return Schedule({s.request.request_id: num_tokens for s, num_tokens in self.plan}, tuple(preempted))

    def preempt(self) -> list[str]:
        """Some running sequences, but not the last one: somebody has to compute."""
        victims = []
        for sequence in self.rng.sample(self.running, max(0, len(self.running) - 1)):
            if sequence.num_computed_tokens <= self.slack and self.rng.random() < 0.5:
                self.slack -= sequence.num_computed_tokens
                self.leave(sequence)
                sequence.num_computed_tokens = 0
                self.waiting.append(sequence)
                victims.append(sequence.request.request_id)
        self.num_preempted += len(victims)
        return victims

    def choose_tokens(self, sequence: Sequence, budget: int) -> int:
        left = sequence.num_uncomputed_tokens
        if self.config.enable_chunked_prefill:
            most = min(left, budget, self.config.prefill_chunk_size or left)
            return self.rng.choice((most, self.rng.randint(min(1, most), most)))
        return left if left <= budget else 0

    def can_start(self, sequence: Sequence) -> bool:
        if len(self.running) == self.config.max_num_seqs:
            return False
        promised = sum(map(self.most_blocks, [*self.running, sequence]))
        return self.pool is None or promised <= self.pool.num_blocks

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        finished = []
        for sequence, num_tokens in self.plan:
            sequence.num_computed_tokens += num_tokens
            request_id = sequence.request.request_id
            if request_id in sampled:
                sequence.output_token_ids.append(sampled[request_id])
                if sequence.is_finished:
                    finished.append(request_id)
                    self.leave(sequence)
        return finished


@many
@given(SEEDS, st.sampled_from(MAKERS))
def test_a_run_that_keeps_all_rules_passes(seed: int, make: Callable[[int], Workload]) -> None:
    workload = make(seed)
    lottery = Lottery(random.Random(seed), workload)
    allocator: Any = lottery.pool
    trace = serve(lottery, workload.jobs, SimulatedExecutor(workload.jobs), allocator)
    assert {record.status for record in trace.requests.values()} <= {"finished", "refused", "aborted"}
    assert trace.limits is lottery.config
    for job in workload.jobs:
        record = trace.requests[job.request.request_id]
        assert record.status != "finished" or len(record.token_ticks) == job.num_output_tokens


def test_such_runs_preempt_too() -> None:
    """Of 50 runs under max_utilization, ten at least do."""
    num_preempted = []
    for seed in range(50):
        workload = workloads.max_utilization(seed)
        lottery = Lottery(random.Random(seed), workload)
        allocator: Any = lottery.pool
        serve(lottery, workload.jobs, SimulatedExecutor(workload.jobs), allocator)
        num_preempted.append(lottery.num_preempted)
    assert sum(number > 0 for number in num_preempted) >= 10


class Thrashing:
    """Computes a first token of one prompt after the other and throws it away again, for ever."""

    config = SchedulerConfig(1, enable_chunked_prefill=True, kv_policy="max_utilization")

    def __init__(self) -> None:
        self.waiting: list[str] = []
        self.running: list[str] = []

    def add_request(self, request: Request) -> None:
        self.waiting.append(request.request_id)

    def abort(self, request_id: str) -> None:
        raise NotImplementedError

    def has_unfinished(self) -> bool:
        return bool(self.waiting or self.running)

    def schedule(self) -> Schedule:
        if not self.waiting:
            return Schedule({})
        victims, self.running = self.running, [self.waiting.pop(0)]
        self.waiting += victims
        return Schedule({self.running[0]: 1}, tuple(victims))

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        return []


def long_jobs(arrivals: st.SearchStrategy[int]) -> st.SearchStrategy[list[Job]]:
    """Two or more jobs, the first two of them at tick 0, with prompts of at least two tokens."""
    sizes = st.tuples(st.integers(2, 9), st.integers(1, 9), st.booleans(), arrivals)
    return st.lists(sizes, min_size=2, max_size=6).map(
        lambda rows: [
            make_job(
                f"r{n}", prompt_len=p, output_len=o, max_tokens=o + 3 if early else None, arrival=a if n > 1 else 0
            )
            for n, (p, o, early, a) in enumerate(rows)
        ]
    )


@settings(derandomize=True, max_examples=60, deadline=None)
@given(long_jobs(st.integers(0, 30)))
def test_a_run_ends_one_tick_past_the_bound(jobs: list[Job]) -> None:
    bound = max(job.arrival for job in jobs)
    bound += sum(len(job.request.prompt_token_ids) + job.num_output_tokens - 1 for job in jobs)
    with pytest.raises(RuleViolation) as raised:
        serve(Thrashing(), jobs, SimulatedExecutor(jobs))
    assert (raised.value.rule, raised.value.tick) == ("bound", bound + 1)
    trace = serve(Thrashing(), jobs, SimulatedExecutor(jobs), checks="record")
    assert signature(trace.violation) == signature(raised.value) and trace.num_ticks == bound + 1
