"""The pytest plugin of the public tests: the option --submission and the fixture `lab`.

pyproject.toml names it twice: to pytest, and as an entry point, for the case that `pytest_cmdline_main` describes.
"""

import importlib.util
import sys
from collections.abc import Callable

import pytest

from batching_lab.errors import ModelError, SubmissionError
from batching_lab.harness import Harness, Mismatch, require
from batching_lab.submission.loading import Submission
from batching_lab.submission.python_version import GRADING_PYTHON
from batching_lab.testing.grading_python import GradingFinder
from batching_lab.testing.messages import MODEL_PART, NeedsPart2, ReportPlugin, part_of
from batching_lab.testing.watchdog import EndlessLoop, Watchdog, WatchdogPlugin

SUBMISSION = pytest.StashKey[Submission]()
GIVE_UP = pytest.StashKey[Callable[[pytest.Item | pytest.Collector], None]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --submission."""
    parser.addoption("--submission", metavar="DIR", default=None, help="the folder to test (default: starter)")


def pytest_cmdline_main(config: pytest.Config) -> int | pytest.ExitCode | None:
    """Start again with `--submission=DIR` if DIR misled pytest.

    pytest looks for its configuration before it knows our option, and takes the DIR of `--submission DIR`
    for a folder of tests. When that lies elsewhere, it finds no configuration, and no tests.
    """
    arguments = list(config.invocation_params.args)
    if "--submission" not in arguments[:-1] or __name__ in config.getini("addopts"):
        return None
    at = arguments.index("--submission")
    arguments[at : at + 2] = [f"--submission={arguments[at + 1]}"]
    return pytest.main(arguments)


def pytest_configure(config: pytest.Config) -> None:
    """Find the submission and register what reports and watches."""
    if __name__ not in config.getini("addopts"):
        return  # loaded as an entry point into a run of other tests
    given = config.getoption("--submission")
    folder = config.invocation_params.dir / given if given else config.rootpath / "starter"
    try:
        submission = Submission(folder)
    except SubmissionError:
        raise pytest.UsageError(f"--submission: there is no folder {given or folder}") from None
    if not any((folder / name).is_file() for name in ("scheduler.py", "kv_allocator.py", "answers.toml")):
        raise pytest.UsageError(
            f"--submission: the folder {given or folder} holds no scheduler.py, no kv_allocator.py and no answers.toml"
        )
    config.stash[SUBMISSION] = submission
    if sys.version_info[:2] > GRADING_PYTHON:
        finder = GradingFinder(submission.folder)
        sys.meta_path.insert(0, finder)
        config.add_cleanup(lambda: sys.meta_path.remove(finder))
    report = ReportPlugin(config, submission.folder, given or "starter")
    config.pluginmanager.register(report)
    config.stash[GIVE_UP] = report.give_up
    config.pluginmanager.register(WatchdogPlugin(report.give_up))


@pytest.fixture
def lab(request: pytest.FixtureRequest) -> Harness:
    """The submission, ready to be run."""
    part = part_of(request.node)
    if part in ("3", "4", "5", MODEL_PART):
        fault = request.getfixturevalue("allocator_fault")
        if fault:
            raise NeedsPart2(f"needs Part 2: {fault}")
    submission = request.config.stash[SUBMISSION]
    if part == MODEL_PART:
        loaded = submission.modules.get("scheduler.py")
        if isinstance(loaded, SubmissionError) and importlib.util.find_spec("torch"):
            raise SubmissionError(str(loaded))  # as the test would, without PyTorch, which takes seconds to import
        try:
            import batching_lab.model  # noqa: F401
        except ModelError as error:
            pytest.skip(str(error))
    return Harness(submission)


@pytest.fixture(scope="session")
def allocator_fault(request: pytest.FixtureRequest) -> str:
    """Why the submission's allocator can't serve the parts after Part 2 yet; empty if it can."""
    has_timeout = request.config.pluginmanager.hasplugin("timeout")
    seconds = float(request.config.getini("timeout") or 10) if has_timeout else 10.0
    watchdog = Watchdog(seconds, lambda: request.config.stash[GIVE_UP](request.node))
    try:
        check_allocator(Harness(request.config.stash[SUBMISSION]))
    except NotImplementedError:
        return "BlockAllocator is not done yet"
    except Mismatch as mismatch:
        return mismatch.what
    except SubmissionError as error:
        return str(error)
    except EndlessLoop:
        return "BlockAllocator does not return: an endless loop?"
    except (Exception, SystemExit) as error:
        return f"BlockAllocator raises {type(error).__name__}"
    finally:
        watchdog.disarm()
    return ""


def check_allocator(lab: Harness) -> None:
    """A short life of two requests in a pool of 4 blocks of 4 tokens."""
    allocator = lab.allocator(num_blocks=4, block_size=4)
    sizes = getattr(allocator, "num_blocks", None), getattr(allocator, "block_size", None)
    require(sizes == (4, 4), "BlockAllocator has no num_blocks and block_size that others can read")
    first = allocator.allocate("A", 5)
    require(len(first) == 2 and allocator.num_free_blocks == 2, "allocate does not take 2 blocks of 4 for 5 tokens")
    allocator.allocate("B", 4)
    require(not allocator.can_allocate("A", 13), "can_allocate promises more blocks than are free")
    require(len(allocator.allocate("A", 9)) == 1, "allocate does not grow a table from 5 to 9 tokens by one block")
    require(allocator.block_table("A")[:2] == first, "block_table does not keep the blocks in token order")
    require(len({*allocator.block_table("A"), *allocator.block_table("B")}) == 4, "a block is in two tables at once")
    allocator.free("A")
    require(allocator.num_free_blocks == 3 and allocator.block_table("A") == [], "free does not give all blocks back")
