"""A hidden test of Part 3 for the attacks: blocks are counted."""

from batching_lab.harness import Harness


def test_planted_blocks(lab: Harness) -> None:
    """The worst case of the second does not fit beside the first."""
    lab.expect(
        "continuous",
        "A=4+3,B=4+2",
        max_num_seqs=4,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:4
        2  A
        3  A
        4  B:4
        5  B
        """,
    )
