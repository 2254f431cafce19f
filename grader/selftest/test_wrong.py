"""Every planted fault fails the hidden tests that it names, with a message that names rule and tick."""

import ast
import contextlib
import importlib
import re
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from batching_lab.difference import first_difference, schedules_of
from batching_lab.errors import RuleViolation
from batching_lab.harness import Harness, Mismatch, Workload
from batching_lab.schedule import Schedule
from batching_lab.submission import Submission
from batching_lab.trace import Trace
from grader.grade import HIDDEN_TESTS, run_hidden_tests, worker_harness
from grader.result import TestResult
from grader.rubric import Part, RubricTest, load_rubric
from grader.selftest.conftest import SHORT
from grader.selftest.helpers import ROOT, SOLUTION, make_submission
from grader.worker.sandbox import sandbox_for

NAMES = sorted(path.stem for path in (ROOT / "grader" / "wrong").glob("part*.py"))
RUBRIC_TESTS = {test.id: test for part in load_rubric().values() for test in part.tests}
SERVED_IN_TICKS = {
    node.name.removeprefix("test_")
    for path in HIDDEN_TESTS.glob("test_*.py")
    for node in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(node, ast.FunctionDef)
    and re.search(r"lab\.expect\(|check_random_runs\(", ast.unparse(node))
    and not re.search(r"require|lab\.scheduler\(", ast.unparse(node))
}


def wrong(name: str) -> ModuleType:
    return importlib.import_module(f"grader.wrong.{name}")


def only(part_id: str, tests: list[RubricTest]) -> Part:
    part = load_rubric()[part_id]
    return Part(part.id, part.title, part.points, part.seconds, tuple(tests))


def grade_wrong(name: str, tmp_path: Path) -> dict[str, TestResult]:
    """The outcomes of the tests that the fault names."""
    fault = wrong(name)
    folder = make_submission(tmp_path / name, [(fault.FILE, old, new) for old, new in fault.CHANGES])
    tests = [RUBRIC_TESTS[test_id] for test_id in fault.CAUGHT_BY]
    with sandbox_for(folder) as (sandbox, _):
        return run_hidden_tests([only(fault.PART, tests)], worker_harness(sandbox, SHORT), "hint")


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


def first_wrong_tick(name: str, test_id: str, folder: Path) -> int | None:
    """Where the hidden test's last workload goes wrong, by comparison with the solution."""
    path = next(HIDDEN_TESTS.glob(f"test_part{wrong(name).PART}_*.py"))
    module = importlib.import_module(f"grader.hidden.{path.stem}")
    harness = FirstWrongTick(Submission(folder))
    with contextlib.suppress(Mismatch, RuleViolation):
        getattr(module, f"test_{test_id}")(harness)
    return harness.tick


@pytest.mark.parametrize("name", NAMES)
def test_fault_is_caught_in_its_part(name: str, tmp_path: Path) -> None:
    """By every test that it names, with a message that names the rule and the first wrong tick."""
    fault = wrong(name)
    assert fault.__doc__ and fault.CAUGHT_BY
    for test_id, outcome in grade_wrong(name, tmp_path).items():
        assert RUBRIC_TESTS[test_id].part == fault.PART
        assert outcome.status != "passed" and outcome.score == 0, test_id
        assert "Rule: " in outcome.message and "Hint: " in outcome.message, outcome.message
        if outcome.status == "failed" and test_id in SERVED_IN_TICKS:
            at_a_tick = re.match(r"Tick (\d+): ", outcome.message)
            at_the_door = re.match(r"\w+ was (accepted|refused), but should", outcome.message)
            assert at_a_tick or at_the_door, outcome.message
            if at_a_tick:
                assert int(at_a_tick[1]) == first_wrong_tick(name, test_id, tmp_path / name), outcome.message


def test_there_are_faults_for_every_part() -> None:
    per_part = Counter(wrong(name).PART for name in NAMES)
    assert set(per_part) == {"1", "2", "3", "4", "5"} and min(per_part.values()) >= 9
