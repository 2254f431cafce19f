"""The same submission gets the same score and the same messages every time."""

from pathlib import Path

import pytest

from grader.grading.runnable import runnable_parts
from grader.paths import SOLUTION
from grader.proving import steady
from grader.proving.helpers import make_submission, with_tests
from grader.proving.steady import UNDECIDED, busy_machine, outcomes_of

OF_PART_1 = ("many_requests", "random_continuous_slots", "idle_ticks", "update_order")
OF_OTHERS = (
    *("two_budgets_together", "random_token_budget", "random_both_budgets", "preempt_two", "preempt_recompute_chunks"),
    *("preempt_in_recompute", "random_preemption", "random_preemption_with_chunks", "both_files_together"),
)


def run_only(monkeypatch: pytest.MonkeyPatch, tests: tuple[str, ...]) -> None:
    monkeypatch.setattr(steady, "runnable_parts", lambda: [with_tests(part, tests) for part in runnable_parts()])


def test_a_scheduler_that_leaves_its_choices_to_chance(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Sets of objects, random numbers; the tests in another order each time."""
    run_only(monkeypatch, OF_OTHERS)
    folder = make_submission(tmp_path / "undecided", UNDECIDED)
    outcomes = outcomes_of(folder, times=3, part_ids=["3", "5"])
    assert len(outcomes) == 1 and " failed Tick " in outcomes[0]


def test_on_a_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    run_only(monkeypatch, OF_PART_1)
    with busy_machine():
        outcomes = outcomes_of(SOLUTION, times=1, part_ids=["1"])
    assert len(outcomes[0].splitlines()) == len(OF_PART_1)
    assert outcomes == outcomes_of(SOLUTION, times=1, part_ids=["1"])
