"""Part 4: chunked prefill.

Jobs: `A=10+2` has a prompt of 10 tokens and generates 2; `@1` arrives after tick 1, `~1` is aborted after tick 1.
Limits: `max_num_batched_tokens` for all in a tick, `prefill_chunk_size` for each; `num_blocks` blocks of `block_size`
tokens each. A limit that is not written does not limit.
Ticks: `3  A B:6` means that in tick 3 A computes one token and B six (here: a chunk of its prompt), in this order.
"""

from batching_lab.harness import Harness


def test_prompt_in_chunks(lab: Harness) -> None:
    """Budget 4: a prompt of 10 takes three ticks; the third samples the first token."""
    lab.expect(
        "continuous",
        "A=10+2",
        max_num_seqs=1,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        rule="With chunked prefill a sequence computes min(P + g - c, budget) tokens.",
        ticks="""
        1  A:4
        2  A:4
        3  A:2
        4  A
        """,
    )


def test_decode_goes_on_beside_a_long_prompt(lab: Harness) -> None:
    """A decodes in every tick; B's prompt gets what A leaves of the budget."""
    lab.expect(
        "continuous",
        "A=2+5,B=8+1@1",
        max_num_seqs=2,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        rule="Running sequences first; a chunk takes what is left of the budget.",
        ticks="""
        1  A:2
        2  A B:3
        3  A B:3
        4  A B:2
        5  A
        """,
    )


def test_rest_of_the_budget_starts_the_next_prompt(lab: Harness) -> None:
    """The tick that ends A's prompt begins B's."""
    lab.expect(
        "continuous",
        "A=6+1,B=6+1",
        max_num_seqs=2,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        rule="While there are a free slot and budget, the first of the queue is admitted.",
        ticks="""
        1  A:4
        2  A:2 B:2
        3  B:4
        """,
    )


def test_chunk_size(lab: Harness) -> None:
    """prefill_chunk_size 3: no sequence computes more in a tick, though the budget is 8."""
    lab.expect(
        "continuous",
        "A=7+1,B=5+1",
        max_num_seqs=2,
        max_num_batched_tokens=8,
        enable_chunked_prefill=True,
        prefill_chunk_size=3,
        rule="A sequence computes at most prefill_chunk_size tokens in a tick.",
        ticks="""
        1  A:3 B:3
        2  A:3 B:2
        3  A
        """,
    )


def test_chunk_size_without_a_budget(lab: Harness) -> None:
    """prefill_chunk_size cuts prompts also when max_num_batched_tokens is None."""
    lab.expect(
        "continuous",
        "A=5+2",
        max_num_seqs=1,
        enable_chunked_prefill=True,
        prefill_chunk_size=3,
        rule="A sequence computes at most prefill_chunk_size tokens in a tick.",
        ticks="""
        1  A:3
        2  A:2
        3  A
        """,
    )


def test_chunk_size_is_ignored_without_chunking(lab: Harness) -> None:
    """Without enable_chunked_prefill a prompt is computed at once, whatever prefill_chunk_size says."""
    lab.expect(
        "continuous",
        "A=5+2",
        max_num_seqs=1,
        prefill_chunk_size=3,
        rule="prefill_chunk_size is ignored without chunked prefill.",
        ticks="""
        1  A:5
        2  A
        """,
    )


def test_no_door_for_long_prompts(lab: Harness) -> None:
    """With chunked prefill a prompt longer than the budget is no reason to refuse."""
    lab.expect(
        "continuous",
        "A=5+1",
        max_num_seqs=1,
        max_num_batched_tokens=2,
        enable_chunked_prefill=True,
        rule="Only without chunked prefill must the longest prefill fit into one tick.",
        ticks="""
        1  A:2
        2  A:2
        3  A
        """,
    )


def test_blocks_grow_with_the_chunks(lab: Harness) -> None:
    """Chunks of 4 in blocks of 4: each chunk takes its own block, none in advance."""
    lab.expect(
        "continuous",
        "A=8+2",
        max_num_seqs=1,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        num_blocks=3,
        block_size=4,
        rule="A sequence scheduled for m tokens then holds exactly blocks(c + m) blocks.",
        ticks="""
        1  A:4
        2  A:4
        3  A
        """,
    )


def test_abort_in_the_middle_of_a_prompt(lab: Harness) -> None:
    """A is aborted after its first chunk; B has its slot and its blocks."""
    lab.expect(
        "continuous",
        "A=12+1~1,B=4+1",
        max_num_seqs=1,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        num_blocks=3,
        block_size=4,
        rule="An aborted sequence gives its slot and its blocks back at once.",
        ticks="""
        1  A:4
        2  B:4
        """,
    )
