"""Part 1: static and continuous batching with slots as the only limit; abort.

Read a test from above: policy, jobs, limits, the rule that it tests; then the ticks that follow from them.
Jobs: `A=6+4` has a prompt of 6 tokens and generates 4; `A=4` has a prompt of 1; `A=4/9` generates 4 of at most 9, the
last one its end-of-sequence token; `@2` arrives after tick 2, `~5` is aborted after tick 5.
Ticks: `3  A B:6` means that in tick 3 A computes one token and B six, in this order; in an `idle` tick nothing runs.
"""

from batching_lab import Request, SchedulerConfig
from batching_lab.harness import Harness, require, require_raises


def test_seed_static(lab: Harness) -> None:
    """A=4, B=1, C=1 on two slots, static: B's slot stays empty and C runs in tick 5."""
    lab.expect(
        "static",
        "A=4,B=1,C=1",
        max_num_seqs=2,
        rule="A batch is formed only when nothing is running.",
        ticks="""
        1  A B
        2  A
        3  A
        4  A
        5  C
        """,
    )


def test_seed_continuous(lab: Harness) -> None:
    """A=4, B=1, C=1 on two slots, continuous: C takes B's slot in tick 2."""
    lab.expect(
        "continuous",
        "A=4,B=1,C=1",
        max_num_seqs=2,
        rule="At every boundary the queue fills the free slots.",
        ticks="""
        1  A B
        2  A C
        3  A
        4  A
        """,
    )


def test_static_prompt_in_one_tick(lab: Harness) -> None:
    """Static: the batch's first tick computes the whole prompts, and each samples its first token."""
    lab.expect(
        "static",
        "A=5+3,B=2+1,C=3+2",
        max_num_seqs=2,
        rule="A prompt computed at once yields its first token in that same tick.",
        ticks="""
        1  A:5 B:2
        2  A
        3  A
        4  C:3
        5  C
        """,
    )


def test_static_late_arrival_waits_for_the_batch(lab: Harness) -> None:
    """Static: a request that arrives while a batch runs doesn't join it, even with a slot free."""
    lab.expect(
        "static",
        "A=3,B=2@1,C=1@1",
        max_num_seqs=2,
        rule="A batch is formed only when nothing is running.",
        ticks="""
        1  A
        2  A
        3  A
        4  B C
        5  B
        """,
    )


def test_continuous_prompt_beside_decodes(lab: Harness) -> None:
    """Continuous: running sequences first, in the order admitted; a new one computes its whole prompt."""
    lab.expect(
        "continuous",
        "A=2+4,B=3+1,C=6+2",
        max_num_seqs=2,
        rule="Running sequences first, in the order in which they were admitted; then the queue.",
        ticks="""
        1  A:2 B:3
        2  A C:6
        3  A C
        4  A
        """,
    )


def test_continuous_first_come_first_served(lab: Harness) -> None:
    """Continuous: requests that arrive together are admitted in the order of the job list."""
    lab.expect(
        "continuous",
        "A=1,B=2,C=1,D=1@1",
        max_num_seqs=1,
        rule="The queue is first come, first served.",
        ticks="""
        1  A
        2  B
        3  B
        4  C
        5  D
        """,
    )


def test_idle_ticks(lab: Harness) -> None:
    """A tick in which nothing has arrived yet is idle, and counts."""
    lab.expect(
        "continuous",
        "A=1@2,B=1@5",
        max_num_seqs=2,
        rule="A request with arrival a is handed over just before tick a + 1.",
        ticks="""
        1  idle
        2  idle
        3  A
        4  idle
        5  idle
        6  B
        """,
    )


def test_end_of_sequence_token(lab: Harness) -> None:
    """A generates 2 of at most 5 tokens: the end-of-sequence token ends it, and C takes its slot."""
    lab.expect(
        "continuous",
        "A=2/5,B=4,C=1",
        max_num_seqs=2,
        rule="A sequence is finished when it sampled the end-of-sequence token or max_tokens tokens.",
        ticks="""
        1  A B
        2  A B
        3  B C
        4  B
        """,
    )


def test_abort_running(lab: Harness) -> None:
    """A's client hangs up after tick 2: C has its slot in tick 3."""
    lab.expect(
        "continuous",
        "A=9~2,B=4,C=2",
        max_num_seqs=2,
        rule="An aborted sequence is gone at once; its slot serves the tick that follows.",
        ticks="""
        1  A B
        2  A B
        3  B C
        4  B C
        """,
    )


def test_static_abort_leaves_the_slot_empty(lab: Harness) -> None:
    """Static: an aborted sequence's slot, like a finished one's, stays empty until the batch is done."""
    lab.expect(
        "static",
        "A=9~1,B=3,C=1",
        max_num_seqs=2,
        rule="The slot of a finished or aborted sequence stays empty until the whole batch is done.",
        ticks="""
        1  A B
        2  B
        3  B
        4  C
        """,
    )


def test_abort_waiting_and_late(lab: Harness) -> None:
    """A request can be aborted while it waits; aborting one that has finished does nothing."""
    lab.expect(
        "continuous",
        "A=1~3,B=3,C=2~1,D=1",
        max_num_seqs=1,
        rule="Aborting an unknown or finished id is no error.",
        ticks="""
        1  A
        2  B
        3  B
        4  B
        5  D
        """,
    )


def test_id_in_use_is_refused(lab: Harness) -> None:
    """An id that is waiting or running is refused with ValueError; after its end it may come again."""
    scheduler = lab.scheduler("continuous", SchedulerConfig(max_num_seqs=1))
    request = Request("A", prompt_token_ids=(1,), max_tokens=1)
    scheduler.add_request(request)
    require_raises(ValueError, lambda: scheduler.add_request(request), "add_request with an id that is waiting")
    scheduler.schedule()
    require(scheduler.update({"A": 7}) == ["A"], "update does not report A, which sampled its only token")
    require(not scheduler.has_unfinished(), "has_unfinished is true, but A has finished")
    scheduler.add_request(request)
    require(scheduler.has_unfinished(), "has_unfinished is false, but A waits again")
