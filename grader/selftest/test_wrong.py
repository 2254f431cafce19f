"""Every planted fault fails the hidden tests that it names, with a message that names rule and tick."""

import ast
import contextlib
import importlib
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from batching_lab.difference import first_difference, schedules_of
from batching_lab.errors import RuleViolation
from batching_lab.harness import Harness, Mismatch, Workload
from batching_lab.schedule import Schedule
from batching_lab.submission.loading import Submission
from batching_lab.trace import Trace
from grader.grading.runnable import not_runnable
from grader.paths import HIDDEN_TESTS, SOLUTION
from grader.proving.fault import Fault
from grader.proving.helpers import SHORT
from grader.proving.wrong import all_faults, coverage, outcomes_in, write_submission
from grader.proving.wrong.command import main as table_of_faults
from grader.worker.client import Sandbox
from grader.worker.isolation import IsolationWish

FAULTS = all_faults()
# In one process an id or a token that is handed back is the same object.
WRONG_IN_A_WORKER_ONLY = {"part1_abort_by_identity", "part1_eos_by_identity"}
SERVED_IN_TICKS = {
    node.name.removeprefix("test_")
    for path in HIDDEN_TESTS.glob("test_*.py")
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef)
    and re.search(r"lab\.expect\(|check_random_runs\(", ast.unparse(node))
    and not re.search(r"require|lab\.scheduler\(", ast.unparse(node))
}


class FirstWrongTick(Harness):
    """Serves in this process and finds where the submission leaves the solution, without any expected table."""

    tick: int | None = None

    def compare(self, workload: Workload, expected: list[Schedule], refused: list[str], rule: str = "") -> Trace:
        right = schedules_of(Harness(Submission(SOLUTION)).serve(workload))
        try:
            difference = first_difference(right, schedules_of(self.serve(workload)))
            self.tick = difference.tick if difference else None
        except RuleViolation as violation:
            self.tick = violation.tick
        return super().compare(workload, expected, refused, rule)


def first_wrong_tick(fault: Fault, test_id: str, folder: Path) -> int | None:
    """Where the hidden test's last workload goes wrong, by comparison with the solution."""
    path = next(HIDDEN_TESTS.glob(f"test_part{fault.part}_*.py"))
    module = importlib.import_module(f"grader.hidden.{path.stem}")
    harness = FirstWrongTick(Submission(folder))
    with contextlib.suppress(Mismatch, RuleViolation):
        getattr(module, f"test_{test_id}")(harness)
    return harness.tick


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_fault_is_caught_in_its_part(
    fault: Fault, tmp_path: Path, sandbox_with: Callable[[Path, IsolationWish], Sandbox]
) -> None:
    """By the first test that it names, with a message that names the rule and the first wrong tick.

    `make nightly` runs all tests that it names.
    """
    assert fault.thought and fault.caught_by
    if not_runnable(fault.part):
        pytest.skip(not_runnable(fault.part))
    folder = write_submission(fault, tmp_path / fault.name)
    first = replace(fault, caught_by=fault.caught_by[:1])
    for test_id, outcome in outcomes_in(sandbox_with(folder, "required"), first, SHORT).items():
        assert outcome.status != "passed" and outcome.score == 0, test_id
        assert "Rule: " in outcome.message and "Hint: " in outcome.message, outcome.message
        if outcome.status == "failed" and test_id in SERVED_IN_TICKS:
            at_a_tick = re.match(r"Tick (\d+): ", outcome.message)
            at_the_door = re.match(r"\w+ was (accepted|refused), but should", outcome.message)
            assert at_a_tick or at_the_door, outcome.message
            if at_a_tick and fault.name not in WRONG_IN_A_WORKER_ONLY:
                assert int(at_a_tick[1]) == first_wrong_tick(fault, test_id, folder), outcome.message


def test_there_are_faults_for_every_part() -> None:
    per_part = Counter(fault.part for fault in FAULTS)
    assert set(per_part) == {"1", "2", "3", "4", "5", "6-cpu"}
    assert per_part.pop("6-cpu") >= 6 and min(per_part.values()) >= 9


def test_every_rule_has_a_fault_or_says_why_not() -> None:
    names = {fault.name for fault in FAULTS}
    for rule in coverage():
        assert bool(rule.faults) != bool(rule.untold), rule.text
        assert set(rule.faults) <= names, f"{rule.text}: {sorted(set(rule.faults) - names)}"


def test_every_fault_breaks_a_rule() -> None:
    assert {fault.name for fault in FAULTS} == {name for rule in coverage() for name in rule.faults}


def test_faults_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    table_of_faults(["part1_queue_is_a_stack"])
    row = capsys.readouterr().out.splitlines()[-1]
    assert row.startswith("| part1_queue_is_a_stack | Pop() takes the next one from the queue. | 1 | ")
    assert "Tick " in row and "Hint: " in row
