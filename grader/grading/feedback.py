"""What a student is told about a hidden test that failed: always of the same form.

    Tick 3: C did not run, but should have: it was running already. Rule: ... Hint: ...

At the level "hint" no number of a hidden workload is in it (a test of single calls may name the call); "full" adds the
workload; "none" leaves only the status.
"""

from batching_lab.difference import Difference
from batching_lab.errors import OutOfBlocks, RuleViolation, SubmissionError
from batching_lab.harness import DOOR, Mismatch, StoppedRun, Workload
from batching_lab.rules import RULES
from grader.grading.options import Feedback
from grader.grading.result import TestStatus
from grader.grading.rubric import RubricTest
from grader.worker.faults import CannotLoad, NotDone, SubmissionFault
from grader.worker.text import clean_text, without_paths


def is_submissions_fault(error: BaseException) -> bool:
    """Anything else is a fault of the grader's."""
    return isinstance(error, (Mismatch, RuleViolation, SubmissionFault, SubmissionError))


def status_of(error: BaseException) -> TestStatus:
    """The status of the hidden test in which a submission's fault was raised."""
    if isinstance(error, SubmissionFault):
        return error.status
    return "error" if isinstance(error, SubmissionError) else "failed"


def message_for(error: BaseException, test: RubricTest, workload: Workload | None, level: Feedback) -> str:
    """One line for the report; at the level "full" more lines follow."""
    if level == "none":
        return ""
    what, rule = what_and_rule(error, test, workload.request_ids if workload else set())
    text = f"{what} Rule: {rule} Hint: {hint_for(error, test)}" if rule else what
    if level == "full" and rule:
        if isinstance(error, RuleViolation):
            text += f"\nSeen: {error.what}."
        if workload is not None:
            text += f"\nRun it again: {workload.command()}"
        if isinstance(error, (Mismatch, StoppedRun)) and error.table:
            text += f"\n{error.table}"
    return "\n".join(clean_text(line, 2000) for line in without_paths(text).split("\n"))


def what_and_rule(error: BaseException, test: RubricTest, request_ids: set[str]) -> tuple[str, str]:
    """What was seen, and the rule that it breaks ("" if the submission did not get as far as a rule)."""
    if isinstance(error, RuleViolation):
        return f"Tick {error.tick}: {violation_text(error, request_ids)}", test.rule
    if isinstance(error, Mismatch):
        if error.difference is not None and not is_known(error.difference, request_ids):
            return f"Tick {error.difference.tick}: something ran that is no live request.", test.rule
        return error.what if error.what.endswith(".") else f"{error.what}.", error.rule or test.rule
    if isinstance(error, SubmissionFault) and not isinstance(error, (NotDone, CannotLoad)):
        return str(error) if error.tick is None else f"Tick {error.tick}: {error}", test.rule
    return f"{str(error).rstrip('.')}.", ""


def violation_text(error: RuleViolation, request_ids: set[str]) -> str:
    """Why the loop stopped the run; an id that is not the workload's own is not repeated."""
    if error.request_id is not None and error.request_id not in request_ids:
        return f"the serving loop stopped the run with something that is no live request: {RULES[error.rule]}"
    difference = error.difference if isinstance(error, StoppedRun) and error.rule not in SEEN_SAYS_MORE else None
    if difference is not None and difference.request_id is not None and is_known(difference, request_ids):
        return f"{difference.text}. The serving loop stopped the run: {RULES[error.rule]}"
    if error.seen:
        return f"{error.seen}. The serving loop stopped the run: {RULES[error.rule]}"
    about = f" with {error.request_id}" if error.request_id is not None else ""
    return f"the serving loop stopped the run{about}: {RULES[error.rule]}"


def is_known(difference: Difference, request_ids: set[str]) -> bool:
    """Are all ids in a difference the workload's? Another one is the submission's invention, and not repeated."""
    return {difference.request_id, difference.other} <= {*request_ids, None}


SEEN_SAYS_MORE = {"live", "preemption", "num_tokens"}  # than the first difference from what was expected

# A test's hint is about its own rule. What breaks another one gets a word about that one first.
HINTS_OF_RULES = {
    "finished": "Look at what update() does with m and with a sampled token, and at what ends a sequence there.",
    "has_unfinished": "Look at has_unfinished(), and at what add_request() and abort() do at once.",
    "num_tokens": "Look at how num_computed_tokens and output_token_ids grow in update().",
    "block_table": "A sequence whose blocks are freed has finished, was aborted, or is named in `preempted`.",
    "block_owner": "A sequence whose blocks are freed has finished, was aborted, or is named in `preempted`.",
    "live": "Who has finished or was aborted is nowhere in the scheduler any more.",
}
HINTS_OF_DIFFERENCES = {
    "order": "First come those who run already, in the order in which they were admitted, then those admitted now.",
    "overtaken": "Nobody overtakes in the queue, whether shorter, smaller or newer.",
}
HINT_OUT_OF_BLOCKS = "Ask for the blocks of all c + m tokens before you take them, and for the same number."
HINT_DOOR = "Look at the limits in add_request, and at what happens exactly at them."


def hint_for(error: BaseException, test: RubricTest) -> str:
    """Where to look: the test's hint, and before it a word about the rule that was broken, if that is another one."""
    first = ""
    if isinstance(error, RuleViolation):
        first = HINTS_OF_RULES.get(error.rule, "")
    elif isinstance(error, OutOfBlocks) and isinstance(error, SubmissionFault) and error.tick is not None:
        first = HINT_OUT_OF_BLOCKS
    elif isinstance(error, Mismatch):
        if error.rule == DOOR and "door" not in test.id:
            return HINT_DOOR
        if error.difference is not None:
            first = HINTS_OF_DIFFERENCES.get(error.difference.kind, "")
    return f"{first} {test.hint}".strip()
