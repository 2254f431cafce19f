"""Fixtures of the project's own tests."""

import contextlib
import gc
import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from batching_lab.submission.loading import Submission
from grader.proving.helpers import SHORT, make_submission
from grader.worker.client import Limits, Worker
from grader.worker.isolation import IsolationWish
from grader.worker.proxies import WorkerHarness
from grader.worker.sandbox import sandbox_for

# What programs print is compared: no colours, also where the environment asks for them.
os.environ.pop("FORCE_COLOR", None)
os.environ["PYTHON_COLORS"], os.environ["NO_COLOR"] = "0", "1"


# Processor seconds of each test, its processes' among them; of those that pytest-xdist's workers ran, too.
SECONDS: dict[str, float] = {}


def processor_seconds() -> float:
    """Of this process and of the processes that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def pytest_collection_finish() -> None:
    """What was imported and collected stays: no need to look through it for garbage again and again."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool | None, bool | None]:
    before = processor_seconds()
    ended = yield
    SECONDS[item.nodeid] = processor_seconds() - before
    return ended


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["seconds"] = SECONDS


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    SECONDS.update(getattr(node, "workeroutput", {}).get("seconds", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """What the tests cost: it grows unseen."""
    if len(SECONDS) > 100:
        terminalreporter.write_line(f"The tests took {sum(SECONDS.values()) / 60:.1f} minutes of processor time; most:")
        for name in sorted(SECONDS, key=lambda name: -SECONDS[name])[:10]:
            terminalreporter.write_line(f"{SECONDS[name]:7.1f} s  {name}")


@pytest.fixture
def start_worker(tmp_path: Path) -> Generator[Callable[..., WorkerHarness]]:
    """Start a worker for a copy of the solution with some files replaced; it is closed when the test ends."""
    with contextlib.ExitStack() as cleanup:

        def start(
            files: dict[str, str],
            own_allocator: bool = False,
            limits: Limits = SHORT,
            isolation: IsolationWish = "required",
        ) -> WorkerHarness:
            folder = make_submission(tmp_path / f"submission{len(list(tmp_path.iterdir()))}", files=files)
            sandbox, _ = cleanup.enter_context(sandbox_for(folder, isolation))
            worker = Worker(sandbox, limits)
            cleanup.callback(worker.close)
            return WorkerHarness(Submission(sandbox.submission), worker, own_allocator)

        yield start
