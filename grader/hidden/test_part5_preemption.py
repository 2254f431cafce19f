"""Hidden tests of Part 5: max_utilization, preemption with recomputation.

Each call of `lab.expect` says what is given (policy, jobs, limits), then who is refused, then the ticks that follow.
Jobs (`A=6+4/9@2~5`) and ticks are written as in Part 1, and `4  A -C -B` says that C, then B were preempted just before
tick 4. A sequence that has computed c tokens holds ceil(c / block_size) blocks.
"""

import pytest

from batching_lab.config import SchedulerConfig
from batching_lab.harness import Harness, require, require_raises
from batching_lab.request import Request
from batching_lab.schedule import Schedule
from grader.hidden.direct import decide
from grader.hidden.random_runs import check_random_runs
from grader.hidden.workloads import CHUNKED, MAX_UTILIZATION


def test_util_admit_now(lab: Harness) -> None:
    """max_utilization admits what fits now, whatever the worst cases add up to."""
    lab.expect(
        "continuous",
        "A=4+2/9,B=4+2/9",
        max_num_seqs=2,
        num_blocks=4,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4
        2  A B
        """,
    )


def test_util_large_pool(lab: Harness) -> None:
    """In a pool of hundreds of blocks the last free one is given to a prompt, too."""
    lab.expect(
        "continuous",
        "A=150+2,B=150+1",
        max_num_seqs=2,
        num_blocks=300,
        block_size=1,
        kv_policy="max_utilization",
        ticks="""
        1  A:150 B:150
        2  A
        """,
    )


def test_util_admission_blocked(lab: Harness) -> None:
    """When the blocks of the first of the queue are not free, it waits, evicts nobody, and nobody overtakes it."""
    lab.expect(
        "continuous",
        "A=8+2,B=5+1/6,C=1+1",
        max_num_seqs=3,
        num_blocks=3,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:8
        2  A
        3  B:5 C
        """,
    )


def test_util_full_pool(lab: Harness) -> None:
    """A full pool preempts nobody as long as the next token fits into blocks that are held."""
    lab.expect(
        "continuous",
        "A=2+3/5,B=2+3/5",
        max_num_seqs=2,
        num_blocks=2,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:2 B:2
        2  A B
        3  A B
        """,
    )


def test_preempt_last_admitted(lab: Harness) -> None:
    """The victim is the running sequence admitted last, and all its blocks serve those that grow."""
    lab.expect(
        "continuous",
        "A=4+2,B=4+2,C=9+2,D=5+2",
        max_num_seqs=4,
        num_blocks=7,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4 C:9 D:5
        2  A B C -D
        3  D:6
        """,
    )


def test_preempt_self(lab: Harness) -> None:
    """A sequence that is itself the one admitted last is its own victim and does not run."""
    lab.expect(
        "continuous",
        "A=4+3,B=4+3~2",
        max_num_seqs=2,
        num_blocks=3,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4
        2  A -B
        3  A
        """,
    )


def test_preempt_recompute(lab: Harness) -> None:
    """A victim computes its prompt and its outputs again and then samples its next token."""
    lab.expect(
        "continuous",
        "A=6+6,B=6+6",
        max_num_seqs=2,
        num_blocks=4,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:6 B:6
        2  A B
        3  A B
        4  A -B
        5  A
        6  A
        7  B:9
        8  B
        9  B
        """,
    )


def test_preempt_front(lab: Harness) -> None:
    """A victim is ahead of those that were waiting already and of those that arrive later."""
    lab.expect(
        "continuous",
        "A=4+3,B=4+3,C=1+1,D=1+1@2",
        max_num_seqs=2,
        num_blocks=3,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4
        2  A -B
        3  A
        4  B:5 C
        5  B D
        """,
    )


def test_preempt_two(lab: Harness) -> None:
    """Two growing sequences at one boundary have two victims, named as evicted, which come back in order of arrival."""
    lab.expect(
        "continuous",
        "A=4+2,B=4+2,C=1+3,D=1+3",
        max_num_seqs=4,
        num_blocks=4,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4 C D
        2  A B -D -C
        3  C:2 D:2
        4  C D
        """,
    )


def test_preempt_again(lab: Harness) -> None:
    """A sequence can be preempted a second time, each time with more outputs to recompute."""
    lab.expect(
        "continuous",
        "A=2+5,B=1+2,C=1+3",
        max_num_seqs=3,
        num_blocks=3,
        block_size=2,
        kv_policy="max_utilization",
        ticks="""
        1  A:2 B C
        2  A B -C
        3  A C:2
        4  A -C
        5  A
        6  C:3
        """,
    )


def test_preempt_eos(lab: Harness) -> None:
    """A sequence whose recomputation samples the end-of-sequence token is finished in that tick."""
    lab.expect(
        "continuous",
        "A=4+3,B=4+2/4,C=5+1@3",
        max_num_seqs=2,
        num_blocks=3,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4
        2  A -B
        3  A
        4  B:5
        5  C:5
        """,
    )


def test_preempt_budget(lab: Harness) -> None:
    """Without chunking a victim waits until the budget holds its prompt and its outputs."""
    lab.expect(
        "continuous",
        "A=1+6,B=2+4,C=4+3",
        max_num_seqs=3,
        max_num_batched_tokens=6,
        num_blocks=4,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A B:2
        2  A B C:4
        3  A B C
        4  A B -C
        5  A
        6  A
        7  C:6
        """,
    )


def test_util_door(lab: Harness) -> None:
    """Where a preemption is possible, a request that might outgrow the budget is refused, exactly at the limit not."""
    lab.expect(
        "continuous",
        "A=4+5,B=4+1/6",
        max_num_seqs=2,
        max_num_batched_tokens=8,
        num_blocks=10,
        block_size=4,
        kv_policy="max_utilization",
        refused="B",
        ticks="""
        1  A:4
        2  A
        3  A
        4  A
        5  A
        """,
    )


def test_util_door_chunked(lab: Harness) -> None:
    """With chunking the budget refuses nobody, but the pool still does."""
    lab.expect(
        "continuous",
        "A=6+3,B=6+8,C=4+1/2",
        max_num_seqs=2,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        num_blocks=3,
        block_size=4,
        kv_policy="max_utilization",
        refused="B",
        ticks="""
        1  A:4
        2  A:2 C:2
        3  A C:2
        4  A
        """,
    )


def test_util_no_allocator(lab: Harness) -> None:
    """Without an allocator max_utilization preempts nobody, and the budget's door looks at the prompt alone."""
    lab.expect(
        "continuous",
        "A=8+2,B=9+1,C=7+2",
        max_num_seqs=2,
        max_num_batched_tokens=8,
        kv_policy="max_utilization",
        refused="B",
        ticks="""
        1  A:8
        2  A C:7
        3  C
        """,
    )


def test_preempt_abort_waiting(lab: Harness) -> None:
    """A victim that is aborted while it waits leaves the queue to the next."""
    lab.expect(
        "continuous",
        "A=4+4,B=4+4~2,C=3+1",
        max_num_seqs=2,
        num_blocks=3,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4
        2  A -B
        3  A C:3
        4  A
        """,
    )


def test_util_abort_running(lab: Harness) -> None:
    """The blocks of an aborted running sequence are there for growth at the same boundary."""
    lab.expect(
        "continuous",
        "A=4+3,B=4+3~1",
        max_num_seqs=2,
        num_blocks=2,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4
        2  A
        3  A
        """,
    )


def test_preempt_admits_nobody(lab: Harness) -> None:
    """A boundary that preempted somebody admits nobody, even if a first chunk would fit."""
    lab.expect(
        "continuous",
        "A=4+3,B=8+2",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        prefill_chunk_size=4,
        num_blocks=3,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4
        2  A -B
        3  A B:4
        4  B:4
        5  B
        """,
    )


def test_preempt_chunk_needs_two(lab: Harness) -> None:
    """A chunk that needs two blocks preempts as often as it takes."""
    lab.expect(
        "continuous",
        "A=16+1,B=1+3,C=1+3",
        max_num_seqs=3,
        enable_chunked_prefill=True,
        prefill_chunk_size=8,
        num_blocks=4,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:8 B C
        2  A:8 -C -B
        3  B:2 C:2
        4  B C
        """,
    )


def test_preempt_recompute_chunks(lab: Harness) -> None:
    """With chunking a victim's prompt and outputs are recomputed in chunks, and the last one samples."""
    lab.expect(
        "continuous",
        "A=3+3,B=3+4",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        prefill_chunk_size=2,
        num_blocks=4,
        block_size=2,
        kv_policy="max_utilization",
        ticks="""
        1  A:2 B:2
        2  A B
        3  A B
        4  A -B
        5  B:2
        6  B:2
        7  B
        8  B
        """,
    )


def test_preempt_in_recompute(lab: Harness) -> None:
    """A sequence that is preempted in the middle of its recomputation starts again from 0."""
    lab.expect(
        "continuous",
        "A=4+4,B=4+4",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        prefill_chunk_size=4,
        num_blocks=3,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4
        2  A -B
        3  A B:4
        4  A -B
        5  B:4
        6  B
        7  B
        8  B
        """,
    )


def test_preempt_abort_recomputing(lab: Harness) -> None:
    """A former victim aborted while it recomputes gives its blocks back, and one is enough for a first chunk."""
    lab.expect(
        "continuous",
        "A=4+4,B=8+2~3,C=8+1",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        prefill_chunk_size=4,
        num_blocks=3,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:4 B:4
        2  A -B
        3  A B:4
        4  A C:4
        5  C:4
        """,
    )


def test_preempt_id_taken(lab: Harness) -> None:
    """The id of a waiting victim is taken; once it is aborted, the id may come again and starts afresh."""
    config = SchedulerConfig(max_num_seqs=2, kv_policy="max_utilization")
    scheduler = lab.scheduler("continuous", config, lab.allocator(num_blocks=3, block_size=4))
    a, b = (Request(request_id, (1, 1, 1, 1), max_tokens=4) for request_id in "AB")
    scheduler.add_request(a)
    scheduler.add_request(b)
    decide(scheduler, Schedule({"A": 4, "B": 4}), "two requests whose prompts fill a block each")
    scheduler.update({"A": 5, "B": 5})
    decide(scheduler, Schedule({"A": 1}, ("B",)), "two sequences that need a block each while one is free")
    scheduler.update({"A": 6})
    require_raises(ValueError, lambda: scheduler.add_request(b), "add_request of an id that was preempted and waits")
    scheduler.abort("B")
    decide(scheduler, Schedule({"A": 1}), "one running sequence, after the waiting victim was aborted")
    scheduler.update({"A": 7})
    try:
        scheduler.add_request(b)
    except ValueError:
        require(False, "add_request refuses the id of a victim that was aborted")
    decide(scheduler, Schedule({"A": 1, "B": 4}), "a new request with the id of a victim that was aborted")


def test_preempt_id_comes_again(lab: Harness) -> None:
    """An id that was preempted, finished and came again starts from its prompt."""
    config = SchedulerConfig(2, kv_policy="max_utilization")
    scheduler = lab.scheduler("continuous", config, lab.allocator(num_blocks=3, block_size=4))
    for request_id in "AB":
        scheduler.add_request(Request(request_id, (1, 1, 1, 1), max_tokens=3))
    decide(scheduler, Schedule({"A": 4, "B": 4}), "two requests whose prompts fill a block each")
    scheduler.update({"A": 5, "B": 5})
    decide(scheduler, Schedule({"A": 1}, ("B",)), "two sequences that need a block each while one is free")
    scheduler.update({"A": 5})
    decide(scheduler, Schedule({"A": 1}), "a running sequence whose blocks leave too few for the victim")
    scheduler.update({"A": 5})
    decide(scheduler, Schedule({"B": 5}), "a victim that is alone")
    scheduler.update({"B": 5})
    decide(scheduler, Schedule({"B": 1}), "a victim that has computed everything again")
    scheduler.update({"B": 5})
    scheduler.add_request(Request("B", (1, 1, 1, 1), max_tokens=3))
    decide(scheduler, Schedule({"B": 4}), "a new request with the id of a victim that has finished")


def test_random_preemption(lab: Harness) -> None:
    """Random workloads in tight pools without chunked prefill, at every tick."""
    check_random_runs(lab, (w for w in MAX_UTILIZATION if not w.config.enable_chunked_prefill))


def test_random_preemption_with_chunks(lab: Harness) -> None:
    """Random workloads in tight pools with chunked prefill, at every tick."""
    check_random_runs(lab, (w for w in MAX_UTILIZATION if w.config.enable_chunked_prefill))


@pytest.mark.own_allocator
def test_both_files_together(lab: Harness) -> None:
    """Your scheduler and your allocator together, on random workloads in tight pools, at every tick."""
    check_random_runs(lab, MAX_UTILIZATION[::3] + [w for w in CHUNKED if w.num_blocks is not None][:20])
