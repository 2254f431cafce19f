"""The shadow KV names each planted fault, and finds nothing in legal runs."""

import random
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")

from batching_lab import Job, Request, RuleViolation, SchedulerConfig, serve
from batching_lab.config import SCHEDULER_CLASSES
from batching_lab.harness import Workload
from batching_lab.model import executor as executor_module
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.judging.faults import FAULTS, FaultyExecutor
from batching_lab.model.judging.logits import find_logit_faults
from batching_lab.model.judging.shadow import KVFault, ShadowKV, find_kv_faults
from batching_lab.model.run_log import RunLog, Step
from batching_lab.submission.loading import Submission
from batching_lab.workloads.pool import longest_sequence
from grader.hidden import workloads
from grader.paths import SOLUTION
from grader.proving.fakes.model import (
    RecordingExecutor,
    ShuffledAllocator,
    random_jobs,
    random_prompt,
    run,
    tiny_model,
    with_random_prompts,
)

JOBS = random_jobs(seed=3, num_jobs=5, spread=2)
CONFIG = SchedulerConfig(4)


def faulty_run(fault: str, **options: Any) -> FaultyExecutor:
    _, executor = run(
        FaultyExecutor, tiny_model(), JOBS, CONFIG, ShuffledAllocator(60, 4), fault=fault, log=True, **options
    )
    assert isinstance(executor, FaultyExecutor)
    assert executor.victim is not None
    return executor


def faults_of(executor: ModelExecutor, jobs: list[Job] = JOBS) -> list[KVFault]:
    assert executor.log is not None
    return find_kv_faults(executor.log, jobs)


def step_of(executor: FaultyExecutor, tick: int, request_id: str | None) -> Step:
    assert executor.log is not None
    return next(step for step in executor.log.ticks[tick - 1] if step.request_id == request_id)


def test_swapped_blocks_are_both_named() -> None:
    executor = faulty_run("swapped-blocks")
    tick, victim = executor.planted_in, executor.victim
    now, before = step_of(executor, tick, victim).block_table, step_of(executor, tick - 1, victim).block_table
    assert now[:2] == (before[1], before[0])
    first, second = faults_of(executor)
    assert (first.tick, first.request_id, first.position, first.block) == (tick, victim, 0, before[1])
    assert (second.tick, second.request_id, second.position, second.block) == (tick, victim, 4, before[0])
    assert "its own position 4 " in first.found
    assert "its own position 0 " in second.found


def test_a_stale_block_is_named() -> None:
    executor = faulty_run("stale-block")
    first, *more = faults_of(executor)
    assert (first.tick, first.request_id, first.position) == (executor.planted_in, executor.victim, 0)
    assert first.block == executor.block == step_of(executor, executor.planted_in, executor.victim).block_table[0]
    assert {fault.block for fault in more} <= {executor.block}


def test_stale_content_is_traced_to_who_left_it() -> None:
    """C leaves its two blocks after tick 1. In tick 4 A takes one of them, and its first becomes the other."""
    rng = random.Random(5)
    jobs = [Job(Request("C", random_prompt(rng, 5), 1)), Job(Request("A", random_prompt(rng, 6), 8))]
    allocator = Submission(SOLUTION).get_class("BlockAllocator")(4, 4)
    config = SchedulerConfig(4, kv_policy="max_utilization")
    _, executor = run(FaultyExecutor, tiny_model(), jobs, config, allocator, fault="stale-block", log=True)
    position = 4 * executor.log.ticks[0][0].block_table.index(executor.block)
    first = faults_of(executor, jobs)[0]
    assert (first.request_id, first.position, first.block) == ("A", 0, executor.block)
    assert first.found == f"holds C's position {position} from tick 1"


def test_a_block_given_twice_is_named() -> None:
    """Whoever writes last in a tick spoils the other."""
    executor = faulty_run("double-allocation")
    faults = faults_of(executor)
    assert {fault.request_id for fault in faults} <= {executor.victim, executor.other}
    assert {fault.block for fault in faults} == {executor.block}
    first = faults[0]
    (partner,) = {executor.victim, executor.other} - {first.request_id}
    assert first.tick == executor.planted_in
    assert f"holds {partner}'s position" in first.found
    assert f"is also in the table of {partner}" in first.found


def test_a_lost_slot_is_named_with_its_position() -> None:
    executor = faulty_run("lost-slot")
    lost = step_of(executor, executor.planted_in, executor.victim)
    first, second = faults_of(executor)
    assert (first.tick, first.position, first.block) == (executor.planted_in, lost.start, None)
    after = step_of(executor, executor.planted_in + 1, executor.victim)
    assert (second.tick, second.position) == (executor.planted_in + 1, lost.start)
    assert second.block == after.block_table[lost.start // 4]
    assert {first.request_id, second.request_id} == {executor.victim}


def test_a_position_off_by_one_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """From tick 6 on r0 computes its tokens one place too far behind."""
    make_step = executor_module.make_step
    ticks = []

    def off_by_one(sequence: Any, *args: Any) -> Step:
        step = make_step(sequence, *args)
        if step.request_id == "r0":
            ticks.append(step)
            if len(ticks) >= 3:
                step.start += 1
        return step

    monkeypatch.setattr(executor_module, "make_step", off_by_one)
    _, executor = run(ModelExecutor, tiny_model(), JOBS, CONFIG, ShuffledAllocator(60, 4), log=True)
    first = faults_of(executor)[0]
    assert (first.request_id, first.position, first.tick) == ("r0", ticks[2].start - 1, 3)
    assert first.found == "was never written there"


@pytest.mark.parametrize("fault", FAULTS)
def test_live_check_raises_in_the_tick(fault: str) -> None:
    with pytest.raises(RuleViolation) as raised:
        faulty_run(fault, judges=[ShadowKV(60, 4, JOBS)])
    first = faults_of(faulty_run(fault))[0]
    assert (raised.value.rule, raised.value.tick, raised.value.request_id) == (
        "kv_content",
        first.tick,
        first.request_id,
    )
    assert first.what in str(raised.value)


class FaultyRecorder(RecordingExecutor, FaultyExecutor):
    pass


@pytest.mark.parametrize(("fault", "changed"), [("lost-slot", True), ("swapped-blocks", False)])
def test_a_fault_need_not_show_in_the_logits(fault: str, changed: bool) -> None:
    """Two swapped blocks change nothing: attention does not see the order in which it reads."""
    _, right = run(RecordingExecutor, tiny_model(), JOBS, CONFIG, ShuffledAllocator(60, 4))
    _, wrong = run(FaultyRecorder, tiny_model(), JOBS, CONFIG, ShuffledAllocator(60, 4), fault=fault)
    difference = right.logits[wrong.planted_in] - wrong.logits[wrong.planted_in]  # of the tick after
    assert (float(difference.abs().max()) > 0.01) == changed


@pytest.mark.parametrize("table", [[0, 7], [0, -1], [0, 10**6]])
def test_a_block_that_does_not_exist_spoils_only_its_request(table: list[int]) -> None:
    jobs = [Job(Request("A", (1, 2, 3, 4, 5), 1)), Job(Request("B", (6, 7), 1))]
    log = RunLog(4, 4, True)
    log.ticks.append([
        Step("A", 0, (1, 2, 3, 4, 5), tuple(table), True, 9),
        Step("B", 0, (6, 7), (2,), True, 9),
    ])  # fmt: skip
    (fault,) = find_kv_faults(log, jobs)
    assert (fault.request_id, fault.position, fault.block) == ("A", 4, table[1])
    assert fault.found == "does not exist: the pool has blocks 0 to 3"


def test_a_shared_prefix_is_legal() -> None:
    """Two requests with the same four first tokens may read them from one block."""
    jobs = [Job(Request("A", (1, 2, 3, 4, 5), 1)), Job(Request("B", (1, 2, 3, 4, 6), 1))]
    log = RunLog(4, 4, True)
    log.ticks.append([Step("A", 0, (1, 2, 3, 4, 5), (0, 1), True, 9)])
    log.ticks.append([Step("B", 4, (6,), (0, 2), True, 9)])
    assert find_kv_faults(log, jobs) == []
    log.ticks.append([Step("B", 5, (9,), (1, 2), True, 9)])
    assert [(fault.position, fault.block) for fault in find_kv_faults(log, jobs)] == [(0, 1)]


LEGAL = [*workloads.TWO_BUDGETS[::6], *workloads.CHUNKED[::5], *workloads.MAX_UTILIZATION[::5]]


def with_block_size(workload: Workload, block_size: int) -> Workload:
    longest = longest_sequence(workload.jobs)
    return replace(workload, block_size=block_size, num_blocks=-(-longest // block_size) + 1)


@pytest.mark.parametrize(
    "workload",
    [
        *(workload for workload in LEGAL if workload.num_blocks is not None),
        *(with_block_size(workloads.MAX_UTILIZATION[size], size) for size in range(1, 17)),
    ],
    ids=lambda workload: f"block_size={workload.block_size}",
)
def test_legal_runs_are_clean(workload: Workload) -> None:
    assert workload.pool is not None
    jobs = with_random_prompts(workload.jobs, seed=7)
    submission = Submission(SOLUTION)
    allocator = submission.get_class("BlockAllocator")(*workload.pool)
    scheduler = submission.get_class(SCHEDULER_CLASSES[workload.policy])(workload.config, allocator)
    model = tiny_model()
    shadow = ShadowKV(*workload.pool, jobs)
    executor = ModelExecutor(model, jobs, *workload.pool, log=True, judges=[shadow])
    serve(scheduler, jobs, executor, allocator)
    assert executor.log is not None
    assert find_kv_faults(executor.log, jobs) == []
    assert find_logit_faults(model, executor.log, jobs, tolerance=1e-3) == []
