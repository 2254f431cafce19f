"""From times to points. Pure: the same times give the same points."""

import random
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

FULL_RATIO = 0.9  # of the reference's throughput, for full points
STEADY_SPREAD = 0.05
NUM_PAIRS, NUM_QUICK_PAIRS = 5, 2


@dataclass(frozen=True)
class Round:
    """Seconds that three systems took for the same work, one right after the other."""

    student: float
    reference: float
    static: float


@dataclass(frozen=True)
class Series:
    """Rounds that were measured in a row.

    Slow minutes of a machine hit all systems of a round alike, so what counts is the ratio within a round, and of
    these the median.
    """

    rounds: tuple[Round, ...]

    @cached_property
    def ratios(self) -> list[float]:
        """The student's throughput as a part of the reference's, round by round."""
        return [one.reference / one.student for one in self.rounds]

    @property
    def ratio(self) -> float:
        """The median of the ratios: what counts."""
        return statistics.median(self.ratios)

    @cached_property
    def static_ratios(self) -> list[float]:
        """The static baseline's throughput as a part of the reference's, round by round."""
        return [one.reference / one.static for one in self.rounds]

    @property
    def static_ratio(self) -> float:
        """The static baseline's throughput as a part of the reference's."""
        return statistics.median(self.static_ratios)

    @property
    def spread(self) -> float:
        """The middle half of the ratios, as a part of their median: the student's or static batching's, the larger.

        Static batching does the same work every time: where its ratios spread, the student's are close by chance.
        """
        return max(spread(self.ratios), spread(self.static_ratios))

    @property
    def is_steady(self) -> bool:
        """Do the ratios spread by `STEADY_SPREAD` at the most?"""
        return self.spread <= STEADY_SPREAD

    @property
    def has_room(self) -> bool:
        """Is static batching slower than what full points take? Otherwise there is no scale between the two."""
        return self.static_ratio < FULL_RATIO

    @property
    def share(self) -> float:
        """Of the points: 0 at the static baseline's speed, 1 at `FULL_RATIO` of the reference's, straight between."""
        if self.ratio >= FULL_RATIO:
            return 1.0
        if not self.has_room:
            return 0.0
        return max(0.0, (self.ratio - self.static_ratio) / (FULL_RATIO - self.static_ratio))

    @property
    def is_hopeless(self) -> bool:
        """More rounds would not find a point: every round so far was slower than half of static batching's worst."""
        return len(self.rounds) >= NUM_QUICK_PAIRS and max(self.ratios) < min(self.static_ratios) / 2


def spread(ratios: list[float]) -> float:
    """The middle half of the ratios, as a part of their median; 0.0 for fewer than two."""
    if len(ratios) < 2:
        return 0.0
    low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return (high - low) / median


@dataclass(frozen=True)
class Measured:
    """The series that counts. `is_noisy`: none was steady, and this is the better one."""

    series: Series
    is_noisy: bool
    num_series: int


def measure(
    run_round: Callable[[int], Round],
    num_pairs: int,
    most_series: int = 2,
    out_of_time: type[Exception] | tuple[()] = (),
) -> Measured:
    """Rounds until a series of them is steady, at most `most_series` times.

    run_round    measures round 0, 1, 2, ...; who is first changes with its number
    out_of_time  raised by it where there is no time for more: what was measured before counts
    """
    tried: list[Series] = []
    while len(tried) < most_series:
        try:
            series = measure_series(run_round, num_pairs)
        except out_of_time:
            if not tried:
                raise
            break
        tried.append(series)
        if series.is_steady or series.is_hopeless:
            return Measured(series, False, len(tried))
    return Measured(max(tried, key=lambda series: series.share), True, len(tried))


def measure_series(run_round: Callable[[int], Round], num_pairs: int) -> Series:
    """As many rounds as `num_pairs`, or fewer where more are hopeless."""
    rounds: list[Round] = []
    for number in range(num_pairs):
        rounds.append(run_round(number))
        if Series(tuple(rounds)).is_hopeless:
            break
    return Series(tuple(rounds))


@dataclass(frozen=True)
class Draws:
    """What might have been measured: of `number` measurements, how many gave full points and how many were noisy.

    full_unflagged, less_unflagged  how many gave full points, or less, without being flagged as noisy
    """

    number: int
    full: int
    noisy: int
    full_unflagged: int
    less_unflagged: int


def draw(rounds: list[Round], slower: float = 1.0, number: int = 1000) -> Draws:
    """Measurements whose rounds are drawn from these, for a student who takes `slower` times as long."""
    outcomes = []
    for seed in range(number):
        rng = random.Random(seed)

        def run_round(_: int, rng: random.Random = rng) -> Round:
            one = rng.choice(rounds)
            return Round(one.student * slower, one.reference, one.static)

        measured = measure(run_round, NUM_PAIRS)
        outcomes.append((measured.series.share == 1.0, measured.is_noisy))
    return Draws(
        number,
        full=sum(is_full for is_full, _ in outcomes),
        noisy=sum(is_noisy for _, is_noisy in outcomes),
        full_unflagged=outcomes.count((True, False)),
        less_unflagged=outcomes.count((False, False)),
    )
