"""A hidden test of Part 0 for the attacks."""

from batching_lab.harness import Harness, require


def test_planted_answer(lab: Harness) -> None:
    """One answer, as in the hidden tests."""
    answer = lab.answers().get("static_d_finish")
    require(type(answer) is int and answer == 7, "static_d_finish is another number")
