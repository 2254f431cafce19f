"""Part 5: max_utilization.

Jobs: `A=6+4` has a prompt of 6 tokens and generates 4, `A=6+2/6` 2 of at most 6; `@1` arrives after tick 1, `~4` is
aborted after tick 4.
Limits: a pool of `num_blocks` blocks of `block_size` tokens each. `refused`: those whom add_request refuses.
Ticks: `4  A B:6 -C` means: just before tick 4 C is preempted; in it A computes one token and B six, in this order.
"""

from batching_lab.harness import Harness


def test_admission_looks_only_at_now(lab: Harness) -> None:
    """Pool of 4: in the worst case A and B need 3 blocks each, but both fit now."""
    lab.expect(
        "continuous",
        "A=6+2/6,B=6+2/6",
        max_num_seqs=2,
        num_blocks=4,
        block_size=4,
        kv_policy="max_utilization",
        rule="Under max_utilization a sequence is admitted when blocks(m) are free now.",
        ticks="""
        1  A:6 B:6
        2  A B
        """,
    )


def test_growth_preempts_the_last(lab: Harness) -> None:
    """A needs a third block in tick 4: B, admitted last, is evicted and later computes all 9 tokens again."""
    lab.expect(
        "continuous",
        "A=6+6,B=6+6",
        max_num_seqs=2,
        num_blocks=4,
        block_size=4,
        kv_policy="max_utilization",
        rule="The running sequence admitted last is preempted; it keeps its outputs and computes everything again.",
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


def test_a_sequence_can_preempt_itself(lab: Harness) -> None:
    """In tick 2 A has room in its block, B needs a second one: B was admitted last, so B goes."""
    lab.expect(
        "continuous",
        "A=2+3,B=4+2",
        max_num_seqs=2,
        num_blocks=2,
        block_size=4,
        kv_policy="max_utilization",
        rule="If the victim is the sequence itself, the running ones are done for this tick.",
        ticks="""
        1  A:2 B:4
        2  A -B
        3  A
        4  B:5
        """,
    )


def test_nobody_is_admitted_after_a_preemption(lab: Harness) -> None:
    """B's eviction in tick 3 leaves a block free in which its next chunk has room, but B comes back in tick 4."""
    lab.expect(
        "continuous",
        "A=3,B=4",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        prefill_chunk_size=1,
        num_blocks=4,
        block_size=1,
        kv_policy="max_utilization",
        rule="A boundary that preempted somebody admits nobody.",
        ticks="""
        1  A B
        2  A B
        3  A -B
        4  B
        5  B
        6  B
        7  B
        """,
    )


def test_victim_goes_to_the_front(lab: Harness) -> None:
    """C has waited since the start, but B, which was evicted, is admitted again before it."""
    lab.expect(
        "continuous",
        "A=4+3,B=3+3,C=1+1",
        max_num_seqs=2,
        num_blocks=2,
        block_size=4,
        kv_policy="max_utilization",
        rule="A preempted sequence goes to the front of the queue.",
        ticks="""
        1  A:4 B:3
        2  A -B
        3  A
        4  B:4 C
        5  B
        """,
    )


def test_two_victims_at_one_boundary(lab: Harness) -> None:
    """A's chunk needs three blocks in tick 2: C goes, then B."""
    lab.expect(
        "continuous",
        "A=6+1,B=2+2,C=2+2",
        max_num_seqs=3,
        enable_chunked_prefill=True,
        prefill_chunk_size=3,
        num_blocks=7,
        block_size=1,
        kv_policy="max_utilization",
        rule="While blocks are short, the running sequence admitted last is preempted, one after the other.",
        ticks="""
        1  A:3 B:2 C:2
        2  A:3 -C -B
        3  B:3 C:3
        """,
    )


def test_recompute_in_chunks(lab: Harness) -> None:
    """B is evicted in tick 7 with 4 generated tokens and computes all 9 that it knows again, in chunks of 4."""
    lab.expect(
        "continuous",
        "A=3+7,B=5+6",
        max_num_seqs=2,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        num_blocks=4,
        block_size=4,
        kv_policy="max_utilization",
        rule="A preempted sequence has computed nothing (c = 0); chunked prefill cuts its second prefill too.",
        ticks="""
        1   A:3 B
        2   A B:3
        3   A B
        4   A B
        5   A B
        6   A B
        7   A -B
        8   B:4
        9   B:4
        10  B
        11  B
        """,
    )


def test_door_counts_the_second_prefill(lab: Harness) -> None:
    """Without chunked prefill P + max_tokens - 1 must fit the budget: 4 + 3 - 1 fits 6, 4 + 4 - 1 doesn't."""
    lab.expect(
        "continuous",
        "A=4+3,B=4+4",
        max_num_seqs=1,
        max_num_batched_tokens=6,
        num_blocks=8,
        block_size=4,
        kv_policy="max_utilization",
        rule="Where a preemption is possible, a sequence may have to compute P + max_tokens - 1 tokens in one tick.",
        refused="B",
        ticks="""
        1  A:4
        2  A
        3  A
        """,
    )


def test_abort_of_an_evicted_sequence(lab: Harness) -> None:
    """B is evicted in tick 4 and aborted while it waits: nothing of it is left."""
    lab.expect(
        "continuous",
        "A=6+6,B=6+6~4,C=4+1",
        max_num_seqs=2,
        num_blocks=4,
        block_size=4,
        kv_policy="max_utilization",
        rule="An evicted sequence waits like any other, and holds no blocks.",
        ticks="""
        1  A:6 B:6
        2  A B
        3  A B
        4  A -B
        5  A C:4
        6  A
        """,
    )
