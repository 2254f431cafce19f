"""What a student is told about a hidden test that failed: always of the same form.

    Tick 3: C did not run, but should have: it was running already. Rule: ... Hint: ...

At the level "hint" no number of a hidden workload is in it (a test of single calls may name the call); "full" adds the
workload; "none" leaves only the status.
"""

from typing import Literal

from batching_lab.errors import RuleViolation, SubmissionError
from batching_lab.harness import Mismatch, Workload
from batching_lab.rules import RULES
from grader.result import TestStatus
from grader.rubric import RubricTest
from grader.text import clean_text
from grader.worker.faults import CannotLoad, NotDone, SubmissionFault

Feedback = Literal["full", "hint", "none"]


def is_submissions_fault(error: BaseException) -> bool:
    """Anything else is a fault of the grader's."""
    return isinstance(error, (Mismatch, RuleViolation, SubmissionFault, SubmissionError))


def status_of(error: BaseException) -> TestStatus:
    if isinstance(error, SubmissionFault):
        return error.status
    return "error" if isinstance(error, SubmissionError) else "failed"


def message_for(error: BaseException, test: RubricTest, workload: Workload | None, level: Feedback) -> str:
    """One line for the report; at the level "full" more lines follow."""
    if level == "none":
        return ""
    what, rule = what_and_rule(error, test, workload.request_ids if workload else set())
    text = f"{what} Rule: {rule} Hint: {test.hint}" if rule else what
    if level == "full" and rule:
        if isinstance(error, RuleViolation):
            text += f"\nSeen: {error.what}."
        if workload is not None:
            text += f"\nRun it again: {workload.command()}"
        if table := getattr(error, "table", ""):
            text += f"\n{table}"
    return "\n".join(clean_text(line, 2000) for line in text.split("\n"))


def what_and_rule(error: BaseException, test: RubricTest, request_ids: set[str]) -> tuple[str, str]:
    """What was seen, and the rule that it breaks ("" if the submission did not get as far as a rule)."""
    if isinstance(error, RuleViolation):
        subject = error.request_id if error.request_id in request_ids else "something that is no live request"
        about = f" with {subject}" if error.request_id is not None else ""
        return f"Tick {error.tick}: the serving loop stopped the run{about}: {RULES[error.rule]}", test.rule
    if isinstance(error, Mismatch):
        if error.difference is not None and not {error.difference.request_id, error.difference.other} <= {
            *request_ids,
            None,
        }:
            return f"Tick {error.difference.tick}: something ran that is no live request.", test.rule
        return error.what if error.what.endswith(".") else f"{error.what}.", error.rule or test.rule
    if isinstance(error, SubmissionFault) and not isinstance(error, (NotDone, CannotLoad)):
        return str(error) if error.tick is None else f"Tick {error.tick}: {error}", test.rule
    return f"{str(error).rstrip('.')}.", ""
