"""The solution and the other correct submissions against the rules of the tick, written down a second time."""

import functools
from collections import Counter
from pathlib import Path

import pytest

from batching_lab import SchedulerConfig, decode_only
from batching_lab.harness import Harness, Workload
from batching_lab.submission.loading import Submission
from grader.hidden import workloads
from grader.hidden.oracle import Expected, expected_run
from grader.paths import SOLUTION
from grader.proving.helpers import RIGHT_SUBMISSIONS

MAKERS = (workloads.slots_only, workloads.two_budgets, workloads.chunked, workloads.max_utilization)


@functools.cache
def cases() -> list[tuple[Workload, Expected]]:
    """2,000 workloads, the hidden ones and others of the same kinds, and what the rules make of them."""
    made = [make(seed) for make in MAKERS for seed in range(500)]
    return [(w, expected_run(w.policy, w.jobs, w.config, w.num_blocks, w.block_size)) for w in made]


def check_every_tick(lab: Harness, w: Workload, expected: Expected) -> None:
    trace = lab.serve(w)
    assert len(trace.ticks) == len(expected.ticks)
    for got, wanted in zip(trace.ticks, expected.ticks, strict=True):
        assert list(got.num_scheduled_tokens.items()) == list(wanted.num_scheduled_tokens.items()), got.tick
        assert (got.preempted, got.finished, got.aborted) == (wanted.preempted, wanted.finished, wanted.aborted), (
            got.tick
        )
        assert got.num_waiting == wanted.num_waiting, got.tick
        assert (got.num_running, got.blocks_used) == (wanted.num_running, wanted.blocks_used), got.tick
    assert sorted(trace.refused) == sorted(expected.refused)
    assert trace.finish_ticks == expected.finish_ticks
    first_tokens = {r.request_id: r.token_ticks[0] for r in trace.requests.values() if r.token_ticks}
    assert first_tokens == expected.first_token_ticks


@pytest.mark.filterwarnings("ignore:request .* can never run")  # student_like warns of what it refuses
@pytest.mark.parametrize("folder", [SOLUTION, *RIGHT_SUBMISSIONS], ids=lambda path: path.name)
def test_agrees_at_every_tick(folder: Path) -> None:
    lab = Harness(Submission(folder))
    for workload, expected in cases():
        check_every_tick(lab, workload, expected)


def test_seed_example() -> None:
    seed = decode_only([("A", 4), ("B", 1), ("C", 1)])
    two_slots = SchedulerConfig(2)
    static, continuous = expected_run("static", seed, two_slots), expected_run("continuous", seed, two_slots)
    assert (static.finish_ticks, len(static.ticks)) == ({"B": 1, "A": 4, "C": 5}, 5)
    assert (continuous.finish_ticks, len(continuous.ticks)) == ({"B": 1, "C": 2, "A": 4}, 4)
    longer = decode_only([("A", 20), ("B", 1), ("C", 1)])
    assert expected_run("static", longer, two_slots).finish_ticks["C"] == 21
    assert expected_run("continuous", longer, two_slots).finish_ticks["C"] == 2
    equal = decode_only([(name, 4) for name in "ABCD"])
    assert len(expected_run("static", equal, two_slots).ticks) == 8
    assert len(expected_run("continuous", equal, two_slots).ticks) == 8


def test_hidden_workloads_reach_the_corners() -> None:
    """Counted over workloads, not over ticks."""
    reached: Counter[str] = Counter()
    for w in workloads.ALL:
        reached.update(set(expected_run(w.policy, w.jobs, w.config, w.num_blocks, w.block_size).reached))
    assert len(workloads.ALL) >= 200
    wanted = {
        "preemption": 30,
        "self_eviction": 10,
        "two_victims": 10,
        "recompute": 20,
        "blocked_head": 20,
        "budget_full": 20,
        "blocks_full": 20,
        "slots_full": 20,
        "door_exact": 20,
        "worst_case_exact": 20,
        "block_edge": 20,
        "refused": 20,
        "early_eos": 20,
        "abort_waiting": 20,
        "abort_running": 20,
        "abort_late": 20,
        "idle_tick": 20,
        "chunk": 20,
    }
    assert {event: reached[event] for event, least in wanted.items() if reached[event] < least} == {}


def test_hidden_workloads_cover_the_configurations() -> None:
    assert {w.block_size for w in workloads.ALL if w.num_blocks} >= {1, 2, 3, 4, 8, 16}
    assert {w.config.kv_policy for w in workloads.ALL} == {"guaranteed_no_evict", "max_utilization"}
    assert {w.policy for w in workloads.ALL} == {"static", "continuous"}
