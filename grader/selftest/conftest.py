"""Fixtures of the project's own tests."""

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from batching_lab.submission.loading import Submission
from grader.paths import SOLUTION
from grader.proving.benchmarks.suite import piece_of_work, processor_seconds, too_much, what_it_cost
from grader.proving.helpers import SHORT, holding, make_submission
from grader.worker.client import Limits, Sandbox, Worker
from grader.worker.isolation import IsolationWish
from grader.worker.proxies import WorkerHarness
from grader.worker.sandbox import sandbox_for

# What programs print is compared: no colours, also where the environment asks for them.
os.environ.pop("FORCE_COLOR", None)
os.environ["PYTHON_COLORS"], os.environ["NO_COLOR"] = "0", "1"
# What is compiled is kept, also where the environment says otherwise: else hundreds of processes compile the same.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Programs are stopped by signals, which a process that was started with nohup or & would have them ignore.
for name in ("SIGINT", "SIGHUP"):
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


# Processor seconds of each test, its processes' among them; of those that pytest-xdist's workers ran, too.
SECONDS: dict[str, float] = {}
# A whole run's: of this process, and of pytest-xdist's workers, which did the tests.
COST: dict[str, float] = {}
COSTS_OF_WORKERS: list[dict[str, float]] = []


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: some tests wait."""
    return 1 + (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def pytest_collection_finish() -> None:
    """What was imported and collected stays: no need to look through it for garbage again and again."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool | None, bool | None]:
    before = processor_seconds()
    ended = yield
    SECONDS[item.nodeid] = processor_seconds() - before
    return ended


def is_whole(config: pytest.Config) -> bool:
    """Are these all tests of `make selftest`?"""
    options, places = config.option, [Path(place).resolve() for place in config.args]
    return places == [Path(__file__).parent] and options.markexpr == "not slow" and not options.keyword


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A whole run that costs too much fails, so that it doesn't grow back unseen."""
    config = session.config
    if is_whole(config):
        COST["seconds"] = processor_seconds() + sum(cost["seconds"] for cost in COSTS_OF_WORKERS)
        COST["piece_seconds"] = fmean([cost["piece_seconds"] for cost in COSTS_OF_WORKERS] or [piece_of_work()])
        COST["num_workers"] = len(COSTS_OF_WORKERS)
    if hasattr(config, "workeroutput"):
        config.workeroutput.update(seconds=SECONDS, cost=COST)
    elif COST and too_much(**COST):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    output = getattr(node, "workeroutput", {})
    SECONDS.update(output.get("seconds", {}))
    COSTS_OF_WORKERS.extend(filter(None, [output.get("cost")]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the tests cost: it grows unseen."""
    if len(SECONDS) > 100:
        terminalreporter.write_line(f"The tests took {sum(SECONDS.values()) / 60:.1f} minutes of processor time; most:")
        for name in sorted(SECONDS, key=lambda name: -SECONDS[name])[:10]:
            terminalreporter.write_line(f"{SECONDS[name]:7.1f} s  {name}")
    if COST:
        terminalreporter.write_line(what_it_cost(**COST))
        terminalreporter.write_line(too_much(**COST), red=True)


@pytest.fixture(scope="session")
def sandbox_with() -> Generator[Callable[[Path, IsolationWish], Sandbox]]:
    """Put a submission into the sandbox that tests share, one after the other: fresh workers, from one template."""
    made: dict[IsolationWish, Sandbox] = {}
    with contextlib.ExitStack() as cleanup:

        def put(folder: Path, isolation: IsolationWish) -> Sandbox:
            if isolation not in made:
                made[isolation], _ = cleanup.enter_context(sandbox_for(SOLUTION, isolation))
            return holding(made[isolation], folder)

        yield put


@pytest.fixture
def start_worker(
    tmp_path: Path, sandbox_with: Callable[[Path, IsolationWish], Sandbox]
) -> Generator[Callable[..., WorkerHarness]]:
    """Start a worker for a copy of the solution with some files replaced; it is closed when the test ends.

    The first one takes the shared sandbox, unless `fresh`; others have their own.
    """
    number = 0
    with contextlib.ExitStack() as cleanup:

        def start(
            files: dict[str, str],
            own_allocator: bool = False,
            limits: Limits = SHORT,
            isolation: IsolationWish = "required",
            fresh: bool = False,
        ) -> WorkerHarness:
            nonlocal number
            number += 1
            folder = make_submission(tmp_path / f"submission{number}", files=files)
            if number > 1 or fresh:
                sandbox, _ = cleanup.enter_context(sandbox_for(folder, isolation))
            else:
                sandbox = sandbox_with(folder, isolation)
            worker = Worker(sandbox, limits)
            cleanup.callback(worker.close)
            return WorkerHarness(Submission(folder), worker, own_allocator)

        yield start
