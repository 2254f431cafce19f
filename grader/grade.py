"""Grades one submission: copies it, runs the hidden tests against a worker, adds up the rubric's points."""

import contextlib
import io
import os
import py_compile
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest

import batching_lab
from batching_lab.harness import Harness
from batching_lab.manifest import submitted_files
from batching_lab.submission import Submission
from grader.feedback import Feedback
from grader.manifest import copy_submission, digest
from grader.plugin import GraderError, GradingPlugin, HarnessMaker
from grader.result import Isolation, PartResult, Result, TestResult
from grader.rubric import Part, RubricTest, load_rubric
from grader.text import clean_text
from grader.worker.client import Limits, Sandbox, TimeBudget, Worker
from grader.worker.process import template_for
from grader.worker.proxies import WorkerHarness

GRADER = Path(__file__).parent
HIDDEN_TESTS = GRADER / "hidden"
LIBRARY = Path(batching_lab.__file__).parent
NOT_ISOLATED = ["files", "network", "processes"]
DEFAULT_LIMITS = Limits()


def grade(
    folder: Path,
    part_ids: Iterable[str] | None = None,
    feedback: Feedback = "hint",
    limits: Limits = DEFAULT_LIMITS,
) -> Result:
    """Run the hidden tests of the given parts (None: all that there are) on a submission folder."""
    parts = load_rubric()
    wanted = [part for part in parts.values() if part.tests and (part_ids is None or part.id in part_ids)]
    result = Result(
        status="graded",
        submission=clean_text(str(folder), 1000),
        key=grading_key(folder),
        isolation=Isolation("development", NOT_ISOLATED),
        score=None,
        max_score=sum(part.points for part in wanted),
        not_run=[part.id for part in parts.values() if part not in wanted],
        parts=[],
    )
    try:
        with sandbox_for(folder) as (sandbox, notes):
            result.notes = notes
            outcomes = run_hidden_tests(wanted, worker_harness(sandbox, limits), feedback)
    except GraderError as error:
        result.status, result.error = "grader_error", str(error)
        return result
    result.parts = [part_result(part, outcomes) for part in wanted]
    result.score = sum(part.score for part in result.parts)
    return result


def part_result(part: Part, outcomes: dict[str, TestResult]) -> PartResult:
    """The maximum comes from the rubric, whatever was collected."""
    tests = [outcomes[test.id] for test in part.tests]
    return PartResult(part.id, part.title, sum(test.score for test in tests), part.points, tests)


def run_hidden_tests(parts: list[Part], make_harness: HarnessMaker, feedback: Feedback) -> dict[str, TestResult]:
    """Rubric test id -> its outcome. Raises `GraderError` unless every test of the rubric has one."""
    tests: dict[str, RubricTest] = {test.id: test for part in parts for test in part.tests}
    plugin = GradingPlugin(tests, make_harness, feedback)
    exit_code, output = run_pytest(parts, plugin)
    missing = [test_id for test_id in tests if test_id not in plugin.results]
    if plugin.grader_errors:
        raise GraderError(plugin.grader_errors[0])
    if missing or exit_code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise GraderError(f"pytest ended with {exit_code!r}; not run: {', '.join(missing)}\n{output[-2000:]}")
    return plugin.results


def run_pytest(parts: list[Part], plugin: GradingPlugin, *options: str) -> tuple[int | pytest.ExitCode, str]:
    """Run the hidden tests of these parts in this process; returns pytest's exit code and what it printed."""
    files = [str(path) for part in parts for path in sorted(HIDDEN_TESTS.glob(f"test_part{part.id[0]}_*.py"))]
    output = io.StringIO()
    arguments = [
        *("-c", str(HIDDEN_TESTS / "pytest.ini"), "--rootdir", str(HIDDEN_TESTS), "--confcutdir", str(HIDDEN_TESTS)),
        *("-p", "no:cacheprovider", "-p", "no:randomly", "--import-mode", "importlib", "--assert", "plain"),
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


@contextlib.contextmanager
def sandbox_for(folder: Path) -> Generator[tuple[Sandbox, list[str]]]:
    """A temporary folder with the submission's copy and with all that its worker needs of the lab."""
    with tempfile.TemporaryDirectory(prefix="batching-lab-") as name:
        submission, library = Path(name, "submission").resolve(), Path(name, "library").resolve()
        notes = copy_submission(folder, submission)
        copy_library(library)
        with template_for(library) as template:
            yield Sandbox(submission, library, template), notes


def copy_library(to: Path) -> None:
    """`batching_lab` and the worker's own files, compiled once for all workers of the run."""
    shutil.copytree(LIBRARY, to / "batching_lab", ignore=shutil.ignore_patterns("__pycache__", "model"))
    shutil.copy(GRADER / "worker" / "child.py", to)
    for path in to.rglob("*.py"):
        py_compile.compile(str(path), doraise=True)


def worker_harness(sandbox: Sandbox, limits: Limits) -> HarnessMaker:
    submission = Submission(sandbox.submission)
    budgets: dict[str, TimeBudget] = {}

    @contextlib.contextmanager
    def make(part: str, own_allocator: bool) -> Generator[Harness]:
        worker = Worker(sandbox, limits, budgets.setdefault(part, TimeBudget(limits.part_seconds)))
        try:
            yield WorkerHarness(submission, worker, own_allocator)
        finally:
            worker.close()

    return make


def grading_key(folder: Path) -> str:
    """Changes when the submission or anything that grades it does."""
    files, _ = submitted_files(folder)
    roots = (LIBRARY, GRADER)
    graded_by = [path for root in roots for path in sorted(root.rglob("*.py")) if is_grading_code(path, root)]
    graded_by += [GRADER / "rubric.toml", HIDDEN_TESTS / "pytest.ini"]
    named = sorted(files.items())
    named += [(str(path.relative_to(path.parents[1])), path.read_bytes()) for path in graded_by]
    return "sha256:" + digest([*named, ("python", sys.version.encode())])


def is_grading_code(path: Path, root: Path) -> bool:
    return not {"selftest", "right", "wrong", "attacks", "examples"} & set(path.relative_to(root).parts)
