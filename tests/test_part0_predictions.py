"""Part 0: the form of answers.toml. Whether an answer is right is for the hidden tests."""

import pytest

from batching_lab.harness import Harness, require
from batching_lab.submission.answers import QUESTIONS, form_fault, is_open


@pytest.mark.parametrize("question", QUESTIONS)
def test_answer_is_a_number(lab: Harness, question: str) -> None:
    """Every question in answers.toml is answered with a whole number."""
    answers = lab.answers()
    if is_open(answers, question):
        raise NotImplementedError("answers in answers.toml")
    fault = form_fault(answers, question)
    require(not fault, fault)
