"""Part 0: the questions of answers.toml, and the form that an answer must have."""

from collections.abc import Mapping

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
OPEN = "?"  # what the starter has in place of each answer


def form_fault(answers: Mapping[str, object], question: str, tell_answer: bool = True) -> str:
    """What is wrong with the form of one answer, in a sentence; empty if nothing is.

    tell_answer  repeat what stands there instead of a whole number
    """
    if question not in answers:
        return f"answers.toml has no line {question} = ..."
    answer = answers[question]
    if answer == OPEN:
        return f"{question} is not answered yet"
    if type(answer) is not int:
        return f"{question} must be a whole number{f', not {answer!r}' if tell_answer else ''}"
    return ""


def is_open(answers: Mapping[str, object], question: str) -> bool:
    """Is the question as the starter leaves it?"""
    return answers.get(question) == OPEN


def form_faults(answers: Mapping[str, object]) -> list[str]:
    """One sentence for each question without a whole number, and for each line that answers no question."""
    faults = [fault for question in QUESTIONS if (fault := form_fault(answers, question))]
    faults += [f"{name!r} is none of the questions" for name in answers if name not in QUESTIONS]
    return faults


def summary(answers: Mapping[str, object]) -> str:
    """How many questions are answered, in a sentence."""
    num_answered = sum(not form_fault(answers, question) for question in QUESTIONS)
    return f"answers.toml: {num_answered} of {len(QUESTIONS)} questions are answered with a whole number."
