"""Runs the hidden tests of some parts on one submission: pytest in this process, the submission in workers."""

import contextlib
import io
import os
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from batching_lab.harness import Harness
from batching_lab.submission.loading import Submission
from grader.grading.key import grading_key
from grader.grading.options import Feedback, GradingOptions
from grader.grading.plugin import GraderError, GradingPlugin, HarnessMaker
from grader.grading.result import TestResult
from grader.grading.rubric import Part, RubricTest, load_rubric
from grader.paths import HIDDEN_TESTS
from grader.worker.client import Limits, Sandbox, TimeBudget, Worker
from grader.worker.isolation import Isolation
from grader.worker.proxies import WorkerHarness
from grader.worker.sandbox import sandbox_for


@dataclass
class SandboxRun:
    """What came of some parts' hidden tests on one copy of a submission.

    outcomes  id of a rubric's test -> its result
    notes     sentences about what was not copied
    key       of the copy: see `grading_key`
    """

    outcomes: dict[str, TestResult]
    notes: list[str]
    isolation: Isolation
    key: str


def run_in_sandbox(folder: Path, parts: list[Part], options: GradingOptions) -> SandboxRun:
    """Copy the submission and run all tests of the parts on the copy.

    Raises `IsolationError` if its workers can't be shut off as the options ask, `GraderError` as `run_hidden_tests`.
    """
    with sandbox_for(folder, options.isolation) as (sandbox, notes):
        key = grading_key(sandbox.submission)
        outcomes = run_hidden_tests(parts, worker_harness(sandbox, options.limits), options.feedback)
        return SandboxRun(outcomes, notes, sandbox.isolation, key)


def run_hidden_tests(parts: list[Part], make_harness: HarnessMaker, feedback: Feedback) -> dict[str, TestResult]:
    """Rubric test id -> its outcome. Raises `GraderError` unless every test of the rubric has one."""
    tests: dict[str, RubricTest] = {test.id: test for part in parts for test in part.tests}
    plugin = GradingPlugin(tests, make_harness, feedback)
    exit_code, output = run_pytest(parts, plugin)
    if plugin.is_interrupted:
        raise KeyboardInterrupt
    missing = [test_id for test_id in tests if test_id not in plugin.results]
    if plugin.grader_errors:
        raise GraderError(plugin.grader_errors[0])
    if missing or exit_code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise GraderError(f"pytest ended with {exit_code!r}; not run: {', '.join(missing)}\n{output[-2000:]}")
    return plugin.results


def run_pytest(parts: list[Part], plugin: GradingPlugin, *options: str) -> tuple[int | pytest.ExitCode, str]:
    """Run the hidden tests of these parts in this process; returns pytest's exit code and what it printed."""
    files = [str(path) for part in parts for path in sorted(HIDDEN_TESTS.glob(f"test_part{part.number}_*.py"))]
    output = io.StringIO()
    arguments = [
        *("-c", str(HIDDEN_TESTS / "pytest.ini"), "--rootdir", str(HIDDEN_TESTS), "--confcutdir", str(HIDDEN_TESTS)),
        *("-p", "no:cacheprovider", "-p", "no:randomly", "--import-mode", "importlib", "--assert", "plain"),
        *("-p", "no:unraisableexception"),  # it collects garbage ten times in a run
        *("--capture", "no", "-q", "--tb", "native", "--disable-warnings"),
        *options,
        *files,
    ]
    with contextlib.redirect_stdout(output), pytest_environment():
        exit_code = pytest.main(arguments, plugins=[plugin])
    return exit_code, output.getvalue()


@contextlib.contextmanager
def pytest_environment() -> Generator[None]:
    """No plugin, option or setting from outside reaches the trusted pytest."""
    before = dict(os.environ)
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def worker_harness(sandbox: Sandbox, limits: Limits) -> HarnessMaker:
    """Gives each test a worker of its own; the tests of a part share its time."""
    submission = Submission(sandbox.submission)
    parts = load_rubric()
    budgets: dict[str, TimeBudget] = {}

    @contextlib.contextmanager
    def make(part: str, own_allocator: bool) -> Generator[Harness]:
        budget = budgets.setdefault(part, TimeBudget(limits.part_seconds or parts[part].seconds))
        worker = Worker(sandbox, limits, budget)
        try:
            yield WorkerHarness(submission, worker, own_allocator)
        finally:
            worker.close()

    return make
