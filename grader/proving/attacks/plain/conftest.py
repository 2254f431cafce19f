"""The submission in the process of the tests, for the control."""

from pathlib import Path

import pytest

from batching_lab.harness import Harness
from batching_lab.submission.loading import Submission


@pytest.fixture
def lab() -> Harness:
    return Harness(Submission(Path.cwd()))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "own_allocator: the submission's own BlockAllocator serves")
