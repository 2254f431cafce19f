"""From times to points: by hand, on made-up noise, and on times that were recorded."""

import json
import random
from collections.abc import Callable, Iterable

import pytest

from grader.gpu.statistics import FULL_RATIO, Round, Series, draw, measure
from grader.paths import GRADER


def series(ratios: Iterable[float], static: float = 0.5) -> Series:
    """A student at these parts of the reference's speed; static batching at half of it."""
    return Series(tuple(Round(student=1 / ratio, reference=1.0, static=1 / static) for ratio in ratios))


@pytest.mark.parametrize(
    ("ratio", "static", "share"),
    [
        (1.0, 0.5, 1.0),
        (1.3, 0.5, 1.0),
        (0.9, 0.5, 1.0),
        (0.7, 0.5, 0.5),
        (0.8, 0.4, 0.8),
        (0.5, 0.5, 0.0),
        (0.1, 0.5, 0.0),
        (0.85, 0.95, 0.0),  # no room: static batching is fast enough for full points
        (0.95, 0.95, 1.0),
    ],
)
def test_points_lie_on_a_line_from_static_batching_to_nine_tenths(ratio: float, static: float, share: float) -> None:
    measured = series([ratio] * 5, static)
    assert measured.share == pytest.approx(share)
    assert measured.has_room == (static < FULL_RATIO)


def test_the_median_of_the_ratios_within_the_rounds_counts() -> None:
    """A slow minute that hits all three, and one disturbance of the student alone, change nothing."""
    quiet = Round(student=1.0, reference=0.95, static=2.0)
    slow_minute = Round(student=5.0, reference=4.75, static=10.0)
    disturbed = Round(student=3.0, reference=0.95, static=2.0)
    measured = Series((quiet, slow_minute, disturbed, quiet, quiet))
    assert measured.ratio == pytest.approx(0.95)
    assert measured.static_ratio == pytest.approx(0.475)
    assert measured.share == 1.0


def test_spread_is_the_middle_half_by_the_median() -> None:
    assert series([1.0, 1.0, 1.0, 1.0, 1.0]).spread == 0
    assert series([0.8, 0.96, 1.0, 1.02, 1.3]).spread == pytest.approx(0.06)
    assert series([1.0]).spread == 0
    assert series([0.98, 1.0, 1.0, 1.01, 1.02]).is_steady
    assert not series([0.9, 0.94, 1.0, 1.03, 1.1]).is_steady


def rounds_of(*ratios: float) -> Callable[[int], Round]:
    """One after the other, whatever the number of the round is within its series."""
    left = iter(ratios)
    return lambda number: series([next(left)]).rounds[0]


def test_a_steady_series_is_enough() -> None:
    numbers: list[int] = []

    def run_round(number: int) -> Round:
        numbers.append(number)
        return series([1.0]).rounds[0]

    measured = measure(run_round, 5)
    assert (measured.is_noisy, measured.num_series, numbers) == (False, 1, [0, 1, 2, 3, 4])


def test_an_unsteady_series_is_measured_again() -> None:
    measured = measure(rounds_of(0.8, 1.2, 0.7, 1.0, 1.1, 0.6, 0.6, 0.6, 0.6, 0.6), 5)
    assert (measured.is_noisy, measured.num_series) == (False, 2)
    assert measured.series.ratio == pytest.approx(0.6), "the steady one counts, better or not"


def test_of_two_unsteady_series_the_better_one_counts_and_is_flagged() -> None:
    measured = measure(rounds_of(0.6, 0.8, 0.7, 0.9, 0.75, 0.5, 0.6, 0.7, 0.9, 0.55), 5)
    assert (measured.is_noisy, measured.num_series) == (True, 2)
    assert measured.series.ratio == pytest.approx(0.75)


def test_what_was_measured_before_the_time_was_up_counts() -> None:
    ratios = iter((0.8, 1.2, 0.7, 1.0, 1.1, 0.6))

    def run_round(number: int) -> Round:
        try:
            return series([next(ratios)]).rounds[0]
        except StopIteration:
            raise TimeoutError from None

    measured = measure(run_round, 5, out_of_time=TimeoutError)
    assert (measured.is_noisy, measured.num_series) == (True, 1)
    assert measured.series.ratio == pytest.approx(1.0)
    with pytest.raises(TimeoutError):
        measure(run_round, 5, out_of_time=TimeoutError)


def test_a_hopeless_scheduler_is_not_measured_to_the_end() -> None:
    measured = measure(rounds_of(0.1, 0.2), 5)
    assert (len(measured.series.rounds), measured.series.share, measured.is_noisy) == (2, 0.0, False)
    assert not series([0.1]).is_hopeless, "one round may be bad luck"
    assert not series([0.1, 0.3]).is_hopeless
    assert not series([0.2, 0.24], static=0.45).is_hopeless


def noisy_rounds(deviation: float, seed: int = 1, share_of_outliers: float = 0.0) -> list[Round]:
    """Made-up times of the solution against itself: each run with an error of its own, some twice as long."""
    rng = random.Random(seed)

    def seconds(mean: float) -> float:
        return mean * rng.lognormvariate(0, deviation) * (2 if rng.random() < share_of_outliers else 1)

    return [Round(seconds(1.0), seconds(1.0), seconds(2.0)) for _ in range(200)]


@pytest.mark.parametrize(("deviation", "outliers"), [(0.01, 0.0), (0.02, 0.0), (0.01, 0.03)])
def test_made_up_times(deviation: float, outliers: float) -> None:
    """A machine that is quiet, one that is less so, and one on which three runs in a hundred take twice as long."""
    rounds = noisy_rounds(deviation, share_of_outliers=outliers)
    assert draw(rounds).full == 1000
    assert draw(rounds, slower=1.25).full == 0


def test_a_very_noisy_machine_is_noticed() -> None:
    """Where times can't be told apart, the flag says so; the solution loses next to nothing, and hardly unflagged."""
    rounds = noisy_rounds(0.08)
    assert draw(rounds).noisy > 700
    assert draw(rounds).full > 990
    assert draw(rounds).less_unflagged + draw(rounds, slower=1.25).full_unflagged < 10


RECORDED = json.loads((GRADER / "proving" / "fakes" / "recorded_times.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", RECORDED["rounds"])
def test_recorded_times(name: str) -> None:
    """Rounds of a rehearsal on a shared processor, on which the ratios spread by 10 to 25 %: no machine to grade on.

    There a wrong outcome can't be excluded, but it must not pass without a flag.
    """
    rounds = [Round(*times) for times in RECORDED["rounds"][name]]
    assert len(rounds) == 30
    right, slower = draw(rounds), draw(rounds, slower=1.25)
    assert right.full > 990 and right.noisy > 600
    assert slower.full < 300
    assert right.less_unflagged <= 5 and slower.full_unflagged <= 5
