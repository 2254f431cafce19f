"""The budget of these tests themselves: processor time, by the machine's own measure."""

import shutil
from pathlib import Path

import pytest

from grader.proving.benchmarks.suite import BUDGET, NUM_WORKERS, PIECE_SECONDS, WORKER_SECONDS, piece_of_work, too_much
from grader.proving.helpers import run_pytest

CONFTEST = Path(__file__).with_name("conftest.py")


def test_a_run_that_costs_too_much_is_told() -> None:
    assert not too_much(BUDGET, PIECE_SECONDS, NUM_WORKERS)
    assert f"took {BUDGET + 1:.0f} seconds" in too_much(BUDGET + 1, PIECE_SECONDS, NUM_WORKERS)


def test_a_slow_machine_has_more_and_a_fast_one_no_less() -> None:
    assert not too_much(2 * BUDGET, 2 * PIECE_SECONDS, 1) and too_much(2 * BUDGET + 1, 2 * PIECE_SECONDS, 1)
    assert not too_much(BUDGET, PIECE_SECONDS / 2, 1) and too_much(BUDGET + 1, PIECE_SECONDS / 2, 1)


def test_more_processors_have_more_for_their_workers() -> None:
    most = BUDGET + 2 * WORKER_SECONDS
    assert not too_much(most, PIECE_SECONDS, NUM_WORKERS + 2) and too_much(most + 1, PIECE_SECONDS, NUM_WORKERS + 2)


def test_the_piece_of_work_counts_the_processes_that_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = piece_of_work()
    monkeypatch.setattr("subprocess.run", lambda *_, **__: None)
    assert 0 < piece_of_work() < whole


# Makes the process that it runs in say what it took.
TEST = """
def test_one(request):
    for plugin in request.config.pluginmanager.get_plugins():
        if hasattr(plugin, "COSTS_OF_WORKERS"):
            plugin.processor_seconds = lambda: {seconds}
"""


@pytest.mark.parametrize(
    ("options", "seconds", "is_told"),
    [(("-n", "1"), 1e6, True), (("-n", "0"), 1e6, True), (("-n", "1"), 1.0, False), (("-k", "one"), 1e6, False)],
)
def test_only_a_whole_run_fails_and_only_over_the_budget(
    tmp_path: Path, options: tuple[str, ...], seconds: float, is_told: bool
) -> None:
    """With a conftest.py like this one's, over one test that passes; what pytest-xdist's worker took counts."""
    shutil.copy(CONFTEST, tmp_path)
    (tmp_path / "test_one.py").write_text(TEST.format(seconds=seconds), encoding="utf-8")
    arguments = ("-c", str(CONFTEST.with_name("pytest.ini")), "-p", "xdist", "-m", "not slow", *options, str(tmp_path))
    status, printed = run_pytest(*arguments)
    assert (status, "make tests cheaper" in printed) == (int(is_told), is_told), printed
    assert ("In all: " in printed) == ("-k" not in options) and "1 passed" in printed
