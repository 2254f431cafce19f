"""The same submission gets the same score and the same messages every time."""

from pathlib import Path

from grader.paths import SOLUTION
from grader.proving.helpers import make_submission
from grader.proving.steady import UNDECIDED, busy_machine, outcomes_of


def test_a_scheduler_that_leaves_its_choices_to_chance(tmp_path: Path) -> None:
    """Sets of objects, random numbers; the tests in another order each time."""
    folder = make_submission(tmp_path / "undecided", UNDECIDED)
    outcomes = outcomes_of(folder, times=3, part_ids=["3", "5"])
    assert len(outcomes) == 1 and " failed Tick " in outcomes[0]


def test_on_a_busy_machine() -> None:
    with busy_machine():
        outcomes = outcomes_of(SOLUTION, times=1, part_ids=["1"])
    assert outcomes == outcomes_of(SOLUTION, times=1, part_ids=["1"])
