"""Fixtures of the project's own tests."""

import contextlib
import os
from collections.abc import Callable, Generator
from pathlib import Path

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
