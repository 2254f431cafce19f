"""Hidden tests of Part 4: chunked prefill.

Each call of `lab.expect` says what is given (policy, jobs, limits), then the ticks that follow. Jobs (`A=6+4@2~5`) and
ticks (`3  A B:6`) are written as in Part 1: `B:6` may be a chunk of B's prompt, and a chunk of one token is a mere `B`.
A sequence that has computed c tokens holds ceil(c / block_size) blocks.
"""

from batching_lab.harness import Harness
from grader.hidden.random_runs import check_random_runs
from grader.hidden.workloads import CHUNKED


def test_chunk_cut_to_budget(lab: Harness) -> None:
    """A prompt that does not fit into the rest of the budget is cut to it."""
    lab.expect(
        "continuous",
        "A=1+4,B=4+2",
        max_num_seqs=2,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        ticks="""
        1  A B:3
        2  A B
        3  A B
        4  A
        """,
    )


def test_chunk_longer_than_budget(lab: Harness) -> None:
    """A prompt longer than the budget is accepted and computed beside a decode, a chunk a tick."""
    lab.expect(
        "continuous",
        "A=1+6,B=9+1",
        max_num_seqs=2,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        ticks="""
        1  A B:3
        2  A B:3
        3  A B:3
        4  A
        5  A
        6  A
        """,
    )


def test_chunk_size_per_sequence(lab: Harness) -> None:
    """prefill_chunk_size cuts each sequence by itself, in every tick, also without a token budget."""
    lab.expect(
        "continuous",
        "A=7+2,B=5+1",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        prefill_chunk_size=3,
        ticks="""
        1  A:3 B:3
        2  A:3 B:2
        3  A
        4  A
        """,
    )


def test_chunk_size_and_budget(lab: Harness) -> None:
    """Where both limits are set, a chunk is cut to the smaller of prefill_chunk_size and the rest of the budget."""
    lab.expect(
        "continuous",
        "A=5+2,B=5+1",
        max_num_seqs=2,
        max_num_batched_tokens=5,
        enable_chunked_prefill=True,
        prefill_chunk_size=3,
        ticks="""
        1  A:3 B:2
        2  A:2 B:3
        3  A
        """,
    )


def test_chunk_size_ignored(lab: Harness) -> None:
    """Without chunked prefill, prefill_chunk_size changes nothing."""
    lab.expect(
        "continuous",
        "A=7+2,B=3+1",
        max_num_seqs=2,
        max_num_batched_tokens=8,
        prefill_chunk_size=3,
        ticks="""
        1  A:7
        2  A B:3
        """,
    )


def test_chunk_no_limits(lab: Harness) -> None:
    """With neither a token budget nor prefill_chunk_size, nothing cuts a prompt of 20,000 tokens."""
    lab.expect(
        "continuous",
        "A=20000+2,B=20000+1",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        ticks="""
        1  A:20000 B:20000
        2  A
        """,
    )


def test_chunk_several(lab: Harness) -> None:
    """Several prompts can be in the middle of their prefill at once."""
    lab.expect(
        "continuous",
        "A=4+3,B=6+1,C=6+2",
        max_num_seqs=3,
        max_num_batched_tokens=6,
        enable_chunked_prefill=True,
        prefill_chunk_size=2,
        ticks="""
        1  A:2 B:2 C:2
        2  A:2 B:2 C:2
        3  A B:2 C:2
        4  A C
        """,
    )


def test_chunk_running_order(lab: Harness) -> None:
    """A running prefill that was admitted before a decode is scheduled before it."""
    lab.expect(
        "continuous",
        "A=4+2,B=1+3",
        max_num_seqs=2,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        prefill_chunk_size=2,
        ticks="""
        1  A:2 B
        2  A:2 B
        3  A B
        """,
    )


def test_chunk_before_queue(lab: Harness) -> None:
    """A running prefill takes its tokens before the queue, and the queue gets what it leaves in that tick."""
    lab.expect(
        "continuous",
        "A=1+3,B=4+1,C=3+1@1",
        max_num_seqs=3,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        ticks="""
        1  A B:3
        2  A B C:2
        3  A C
        """,
    )


def test_chunk_last_samples(lab: Harness) -> None:
    """Only the chunk that completes a prompt samples, in that same tick."""
    lab.expect(
        "continuous",
        "A=5+1,B=2+1",
        max_num_seqs=1,
        max_num_batched_tokens=8,
        enable_chunked_prefill=True,
        prefill_chunk_size=2,
        ticks="""
        1  A:2
        2  A:2
        3  A
        4  B:2
        """,
    )


def test_chunk_of_one(lab: Harness) -> None:
    """A chunk of one token in the middle of a prompt is no decode."""
    lab.expect(
        "continuous",
        "A=1+2,B=3+2",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        prefill_chunk_size=1,
        ticks="""
        1  A B
        2  A B
        3  B
        4  B
        """,
    )


def test_chunk_block_edge(lab: Harness) -> None:
    """A chunk that ends exactly on a block boundary takes no block for the next one."""
    lab.expect(
        "continuous",
        "A=8+2",
        max_num_seqs=1,
        enable_chunked_prefill=True,
        prefill_chunk_size=4,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:4
        2  A:4
        3  A
        """,
    )


def test_chunk_blocks_grow(lab: Harness) -> None:
    """A prefill takes its blocks chunk by chunk."""
    lab.expect(
        "continuous",
        "A=10+1",
        max_num_seqs=1,
        enable_chunked_prefill=True,
        prefill_chunk_size=3,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:3
        2  A:3
        3  A:3
        4  A
        """,
    )


def test_chunk_worst_case(lab: Harness) -> None:
    """Under guaranteed_no_evict a first chunk that fits is not enough to be admitted."""
    lab.expect(
        "continuous",
        "A=8+1,B=8+2",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        prefill_chunk_size=4,
        num_blocks=4,
        block_size=4,
        ticks="""
        1  A:4
        2  A:4
        3  B:4
        4  B:4
        5  B
        """,
    )


def test_chunk_abort_middle(lab: Harness) -> None:
    """An abort in the middle of a prefill gives slot and blocks back at once."""
    lab.expect(
        "continuous",
        "A=12+1~1,B=5+2",
        max_num_seqs=2,
        enable_chunked_prefill=True,
        prefill_chunk_size=4,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:4
        2  B:4
        3  B
        4  B
        """,
    )


def test_chunk_abort_after_last(lab: Harness) -> None:
    """An abort right after the last chunk drops the sequence before its first decode."""
    lab.expect(
        "continuous",
        "A=8+3~2,B=3+2",
        max_num_seqs=1,
        enable_chunked_prefill=True,
        prefill_chunk_size=4,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:4
        2  A:4
        3  B:3
        4  B
        """,
    )


def test_chunk_no_budget_left(lab: Harness) -> None:
    """When the running sequences use up the budget, nobody is admitted, not even for an empty chunk."""
    lab.expect(
        "continuous",
        "A=1+3,B=1+3,C=3+1",
        max_num_seqs=3,
        max_num_batched_tokens=2,
        enable_chunked_prefill=True,
        ticks="""
        1  A B
        2  A B
        3  A B
        4  C:2
        5  C
        """,
    )


def test_chunk_slots(lab: Harness) -> None:
    """A sequence in the middle of its prefill holds a slot."""
    lab.expect(
        "continuous",
        "A=2+3,B=5+1,C=2+1",
        max_num_seqs=2,
        max_num_batched_tokens=16,
        enable_chunked_prefill=True,
        prefill_chunk_size=3,
        ticks="""
        1  A:2 B:3
        2  A B:2
        3  A C:2
        """,
    )


def test_chunk_mixed(lab: Harness) -> None:
    """Decodes, a running prefill and a late arrival share budget, chunk size and blocks."""
    lab.expect(
        "continuous",
        "A=3+4,B=9+2,C=5+2@2",
        max_num_seqs=3,
        max_num_batched_tokens=6,
        enable_chunked_prefill=True,
        prefill_chunk_size=4,
        num_blocks=7,
        block_size=4,
        ticks="""
        1  A:3 B:3
        2  A B:4
        3  A B:2 C:3
        4  A B C:2
        5  C
        """,
    )


def test_random_chunks(lab: Harness) -> None:
    """Random workloads with chunked prefill and no allocator, at every tick."""
    check_random_runs(lab, (w for w in CHUNKED if w.num_blocks is None))


def test_random_chunks_with_blocks(lab: Harness) -> None:
    """Random workloads with chunked prefill and KV blocks, at every tick."""
    check_random_runs(lab, (w for w in CHUNKED if w.num_blocks is not None))
