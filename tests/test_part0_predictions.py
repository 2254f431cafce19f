"""Part 0: the form of answers.toml. Whether an answer is right is for the hidden tests."""

import pytest

from batching_lab.harness import Harness, require

QUESTIONS = (
    "static_d_finish",
    "continuous_d_finish",
    "static_empty_slot_ticks",
    "equal_lengths_gain",
    "c_finishes_earlier",
    "blocks_at_the_end",
    "first_token_alone",
    "first_token_beside_decodes",
    "running_by_worst_case",
    "recomputed_tokens",
)


@pytest.mark.parametrize("question", QUESTIONS)
def test_answer_is_a_number(lab: Harness, question: str) -> None:
    """Every question in answers.toml is answered with a whole number."""
    answers = lab.answers()
    require(question in answers, f"answers.toml has no line {question} = ...")
    if answers[question] == "?":
        raise NotImplementedError("answers in answers.toml")
    require(type(answers[question]) is int, f"{question} must be a whole number, not {answers[question]!r}")
