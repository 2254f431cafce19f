"""Where a hidden test's points are given: the pytest plugin that gives each its harness and keeps its result."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Any

import pytest

from batching_lab.harness import Harness, Workload
from grader.grading.feedback import is_submissions_fault, message_for, status_of
from grader.grading.options import Feedback
from grader.grading.result import TestResult
from grader.grading.rubric import RubricTest

HarnessMaker = Callable[[str, bool], AbstractContextManager[Harness]]  # part, own allocator


class GraderError(Exception):
    """The grader itself failed: there is no score."""


def test_result(
    test: RubricTest, error: BaseException | None, seconds: float, workload: Workload | None, feedback: Feedback
) -> TestResult:
    """All points of the rubric for a test that raised nothing, none for another.

    error     what a submission's fault raised; None: the test has passed
    workload  the last one that the test served
    """
    if error is None:
        return TestResult(test.id, test.points, test.points, "passed", "", round(seconds, 3))
    message = message_for(error, test, workload, feedback)
    return TestResult(test.id, 0.0, test.points, status_of(error), message, round(seconds, 3))


class GradingPlugin:
    """Collects one `TestResult` per rubric test that ran, and the first fault of the grader's own."""

    def __init__(self, tests: dict[str, RubricTest], make_harness: HarnessMaker, feedback: Feedback) -> None:
        self.tests = tests
        self.make_harness = make_harness
        self.feedback = feedback
        self.results: dict[str, TestResult] = {}
        self.grader_errors: list[str] = []
        self.is_interrupted = False
        self.harness: Harness | None = None

    @pytest.fixture
    def lab(self, request: pytest.FixtureRequest) -> Generator[Harness]:
        """The submission, in a fresh worker for each test."""
        own_allocator = request.node.get_closest_marker("own_allocator") is not None
        self.harness = None
        part = self.tests[request.node.name.removeprefix("test_")].part
        with self.make_harness(part, own_allocator) as self.harness:
            yield self.harness

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Run what the rubric names, in its order."""
        by_id = {item.name.removeprefix("test_"): item for item in items}
        items[:] = [by_id[test_id] for test_id in self.tests if test_id in by_id]

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        """Note it: no result is made of an interrupted run."""
        self.is_interrupted = excinfo.type is KeyboardInterrupt  # pytest's own ones are subclasses

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Keep the test's result, or the grader's own fault; pytest's report stays as it is."""
        report = yield
        test = self.tests[item.name.removeprefix("test_")]
        error = call.excinfo.value if call.excinfo else None
        if error is not None and not is_submissions_fault(error):
            self.grader_errors.append(f"{test.id}: {type(error).__name__}: {error}")
        elif error is not None or call.when == "call":
            workload = self.harness.workload if self.harness else None
            self.results[test.id] = test_result(test, error, call.duration, workload, self.feedback)
        return report
