"""Grades one submission: copies it, runs the hidden tests against a worker, adds up the rubric's points."""

import contextlib
import importlib.util
import io
import multiprocessing
import os
import signal
from collections.abc import Generator, Iterable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

import pytest

from batching_lab.harness import Harness
from batching_lab.submission.files import submitted_files
from batching_lab.submission.loading import Submission
from grader.grading.options import DEFAULT_OPTIONS, Feedback, GradingOptions
from grader.grading.origin import about_python, stamp
from grader.grading.plugin import GraderError, GradingPlugin, HarnessMaker
from grader.grading.result import PartResult, Result, TestResult
from grader.grading.rubric import Part, RubricTest, load_rubric
from grader.paths import HIDDEN_TESTS, Use, digest, digest_for
from grader.worker.client import Limits, Sandbox, TimeBudget, Worker
from grader.worker.isolation import NOT_ISOLATED, Isolation, IsolationError
from grader.worker.proxies import WorkerHarness
from grader.worker.sandbox import check_own_limits, prepare_sandboxes, sandbox_for
from grader.worker.temporary import remove_leftovers
from grader.worker.text import clean_text

MODEL_PART = "6-cpu"
MODEL_PACKAGES = ("torch", "numpy", "safetensors")


def grade(
    folder: Path,
    part_ids: Iterable[str] | None = None,
    options: GradingOptions = DEFAULT_OPTIONS,
    processes: int = 1,
) -> Result:
    """Run the hidden tests of the given parts (None: all that there are) on a submission folder.

    A part that needs what is not installed is not run; `about_machine` says why, and what else is not as it should be.

    processes  among which the parts are shared out, where there are so many processors (Linux)
    """
    parts = load_rubric()
    wanted = [part for part in parts.values() if part.has_hidden_tests and (part_ids is None or part.id in part_ids)]
    about_machine = [sentence for part in wanted if (sentence := not_runnable(part.id))]
    wanted = [part for part in wanted if not not_runnable(part.id)]
    result = Result(
        status="graded",
        submission=folder_name(folder),
        key=grading_key(folder),
        isolation=Isolation("development", NOT_ISOLATED),
        score=None,
        max_score=sum(part.points for part in wanted),
        not_run=[part.id for part in parts.values() if part not in wanted],
        parts=[],
        about_machine=[*about_python(), *about_machine],
    )
    stamp(result)
    try:
        outcomes: dict[str, TestResult] = {}
        for ran in run_parts(folder, wanted, options, processes):
            if ran.key != result.key:
                raise GraderError("the submission changed while it was graded")
            outcomes |= ran.outcomes
            result.notes, result.isolation = ran.notes, ran.isolation
    except (GraderError, IsolationError, RuntimeError, OSError) as error:
        result.status, result.error = "grader_error", str(error)
        return result
    result.parts = [part_result(part, outcomes) for part in wanted]
    result.score = sum(part.score for part in result.parts)
    return result


def folder_name(folder: Path) -> str:
    """Without where it lies; also of "." and of ".."."""
    return clean_text((folder if folder.name not in ("", "..") else folder.resolve()).name, 200)


def not_runnable(part_id: str) -> str:
    """Why this machine can't run a part, one sentence; "" if it can. Imports nothing."""
    missing = [name for name in MODEL_PACKAGES if importlib.util.find_spec(name) is None]
    if part_id != MODEL_PART or not missing:
        return ""
    return f"Part {part_id} can't be run here: it needs {', '.join(missing)} (pip install -e '.[model]')."


def runnable_parts() -> list[Part]:
    return [part for part in load_rubric().values() if part.has_hidden_tests and not not_runnable(part.id)]


@dataclass
class Outcomes:
    """What came of the hidden tests of some parts."""

    outcomes: dict[str, TestResult]
    notes: list[str]
    isolation: Isolation
    key: str


def run_parts(folder: Path, parts: list[Part], options: GradingOptions, processes: int) -> list[Outcomes]:
    """All tests of the parts, shared out among so many processes; each has its own sandbox."""
    check_own_limits()
    shares = share_out(parts, processes)
    if len(shares) < 2:
        return [run_in_sandbox(folder, share, options) for share in shares]
    prepare_sandboxes(options.isolation)
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(len(shares), context, initializer=be_a_share, initargs=(os.getpid(),)) as pool:
        try:
            futures = [pool.submit(run_in_sandbox, folder, share, options) for share in shares]
            return [future.result() for future in futures]
        except BaseException as error:  # interrupted, or one share has failed: nobody waits for the others
            end_shares()
            if isinstance(error, BrokenProcessPool):
                raise GraderError("a process of the grader's own was killed") from None
            raise


def be_a_share(parent: int) -> None:
    """A process of the pool: it ends with the one that grades, which alone hears Ctrl-C."""
    from grader.worker.lockdown import die_with_parent

    die_with_parent(parent)
    signal.signal(signal.SIGINT, lambda number, frame: None)  # the workers would inherit that it is ignored
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def end_shares() -> None:
    """Their workers end with them; their folders are removed here, where no signal comes in between."""
    shares = multiprocessing.active_children()
    for share in shares:
        share.kill()
    for share in shares:
        share.join()
    remove_leftovers()


def share_out(parts: list[Part], num_shares: int) -> list[list[Part]]:
    """The parts in shares that take about as long, by the time that the rubric gives them."""
    shares: list[list[Part]] = [[] for _ in range(num_shares)]
    for part in sorted(parts, key=lambda part: -part.seconds):
        min(shares, key=lambda share: sum(part.seconds for part in share)).append(part)
    return [share for share in shares if share]


def run_in_sandbox(folder: Path, parts: list[Part], options: GradingOptions) -> Outcomes:
    with sandbox_for(folder, options.isolation) as (sandbox, notes):
        key = grading_key(sandbox.submission)
        outcomes = run_hidden_tests(parts, worker_harness(sandbox, options.limits), options.feedback)
        return Outcomes(outcomes, notes, sandbox.isolation, key)


def part_result(part: Part, outcomes: dict[str, TestResult]) -> PartResult:
    """The maximum comes from the rubric, whatever was collected."""
    tests = [outcomes[test.id] for test in part.tests]
    return PartResult(part.id, part.title, sum(test.score for test in tests), part.points, tests)


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


def grading_key(folder: Path) -> str:
    """Changes when the submission or anything of the lab that grades it does; the same on every machine.

    The GPU stage's results are merged with the others by it, and come from another machine.
    """
    files, _ = submitted_files(folder)
    return "sha256:" + digest([*sorted(files.items()), ("graded by", digest_for(Use.KEY).encode())])
