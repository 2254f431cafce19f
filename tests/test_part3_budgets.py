"""Part 3: two budgets under guaranteed_no_evict: tokens per tick, and KV blocks that grow.

Jobs: `A=6+4` has a prompt of 6 tokens and generates 4, `A=6+4/9` 4 of at most 9; `~5` is aborted after tick 5.
Limits: `max_num_seqs` slots, `max_num_batched_tokens` in a tick, `num_blocks` blocks of `block_size` tokens each; a
limit that is not written does not limit. `refused`: those whom add_request refuses.
Ticks: `3  A B:6` means that in tick 3 A computes one token and B six, in this order.
"""

from batching_lab import Request, RequestTooLong, SchedulerConfig
from batching_lab.harness import Harness, require, require_raises


def test_prompt_waits_for_the_token_budget(lab: Harness) -> None:
    """Budget 6: A decodes with 1 token, so B's prompt of 6 must wait until A is done."""
    lab.expect(
        "continuous",
        "A=2+3,B=6+2",
        max_num_seqs=2,
        max_num_batched_tokens=6,
        rule="The first of the queue waits until its whole prompt fits into what is left of the budget.",
        ticks="""
        1  A:2
        2  A
        3  A
        4  B:6
        5  B
        """,
    )


def test_nobody_overtakes(lab: Harness) -> None:
    """C would fit into the budget, but B stands before it and doesn't."""
    lab.expect(
        "continuous",
        "A=1+3,B=6+1,C=1+1",
        max_num_seqs=3,
        max_num_batched_tokens=6,
        rule="If the first of the queue can't be admitted, nobody is.",
        ticks="""
        1  A
        2  A
        3  A
        4  B:6
        5  C
        """,
    )


def test_static_has_no_token_budget(lab: Harness) -> None:
    """Static batching computes both prompts at once, whatever max_num_batched_tokens says."""
    lab.expect(
        "static",
        "A=6+2,B=5+1",
        max_num_seqs=2,
        max_num_batched_tokens=6,
        rule="Static batching has no token budget.",
        ticks="""
        1  A:6 B:5
        2  A
        """,
    )


def test_blocks_grow_as_needed(lab: Harness) -> None:
    """Blocks of 4: A holds 1 block for 3 and 4 tokens and takes the second in the tick that computes the fifth."""
    trace = lab.expect(
        "continuous",
        "A=3+4",
        max_num_seqs=1,
        num_blocks=2,
        block_size=4,
        rule="A sequence scheduled for m tokens then holds exactly blocks(c + m) blocks.",
        ticks="""
        1  A:3
        2  A
        3  A
        4  A
        """,
    )
    require(
        [tick.blocks_used for tick in trace.ticks] == [1, 1, 2, 2], "the blocks used in ticks 1 to 4 are not 1, 1, 2, 2"
    )


def test_admission_counts_worst_cases(lab: Harness) -> None:
    """Pool of 4: A and B need 2 blocks each in the end, so C waits, though a block is still free."""
    lab.expect(
        "continuous",
        "A=4+3,B=4+2,C=1+2",
        max_num_seqs=3,
        num_blocks=4,
        block_size=4,
        rule="Under guaranteed_no_evict the sum of blocks(P + max_tokens - 1) over all that run fits the pool.",
        ticks="""
        1  A:4 B:4
        2  A B
        3  A C
        4  C
        """,
    )


def test_early_end_gives_the_worst_case_back(lab: Harness) -> None:
    """A might have generated 9 tokens but ends after 2: B is admitted in tick 3."""
    lab.expect(
        "continuous",
        "A=4+2/9,B=4+5",
        max_num_seqs=2,
        num_blocks=3,
        block_size=4,
        rule="A sequence that has left counts no more.",
        ticks="""
        1  A:4
        2  A
        3  B:4
        4  B
        5  B
        6  B
        7  B
        """,
    )


def test_static_batch_by_worst_cases(lab: Harness) -> None:
    """Static, pool of 4: A and B need 2 + 2 blocks in the worst case; C goes into the next batch."""
    lab.expect(
        "static",
        "A=4+2,B=5+1,C=1+1",
        max_num_seqs=3,
        num_blocks=4,
        block_size=4,
        rule="The sum of blocks(P + max_tokens - 1) over a static batch is at most num_blocks.",
        ticks="""
        1  A:4 B:5
        2  A
        3  C
        """,
    )


def test_last_token_needs_no_slot(lab: Harness) -> None:
    """One block of 4: a prompt of 4 with 1 token fits, with 2 tokens it is refused at the door."""
    lab.expect(
        "continuous",
        "A=4+1,B=4+2",
        max_num_seqs=1,
        num_blocks=1,
        block_size=4,
        rule="n generated tokens cost P + n - 1 KV slots: the last token sampled is never computed.",
        refused="B",
        ticks="""
        1  A:4
        """,
    )


def test_too_long_for_the_budget(lab: Harness) -> None:
    """Without chunked prefill, a prompt longer than the token budget is refused; exactly at it is accepted."""
    lab.expect(
        "continuous",
        "A=4+2,B=5+1",
        max_num_seqs=1,
        max_num_batched_tokens=4,
        rule="A prompt that exceeds max_num_batched_tokens can never be computed in one tick.",
        refused="B",
        ticks="""
        1  A:4
        2  A
        """,
    )


def test_refusal_changes_nothing(lab: Harness) -> None:
    """After RequestTooLong the scheduler is as before; an id in use is still a plain ValueError."""
    allocator = lab.allocator(num_blocks=2, block_size=4)
    scheduler = lab.scheduler("static", SchedulerConfig(max_num_seqs=1), allocator)
    too_long = Request("A", prompt_token_ids=(1,) * 8, max_tokens=2)
    require_raises(RequestTooLong, lambda: scheduler.add_request(too_long), "add_request of 9 tokens with room for 8")
    require(not scheduler.has_unfinished(), "a refused request must not stay in the scheduler")
    scheduler.add_request(Request("A", prompt_token_ids=(1,), max_tokens=2))
    require_raises(ValueError, lambda: scheduler.add_request(too_long), "add_request with an id that is waiting")


def test_abort_frees_blocks(lab: Harness) -> None:
    """A's client hangs up after tick 2: its blocks are free for B in tick 3."""
    lab.expect(
        "continuous",
        "A=6+9~2,B=8+1",
        max_num_seqs=2,
        num_blocks=4,
        block_size=4,
        rule="An aborted sequence gives its blocks back at once.",
        ticks="""
        1  A:6
        2  A
        3  B:8
        """,
    )
