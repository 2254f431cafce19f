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
        return statistics.median(self.ratios)

    @property
    def static_ratio(self) -> float:
        """The static baseline's throughput as a part of the reference's."""
        return statistics.median(one.reference / one.static for one in self.rounds)

    @property
    def spread(self) -> float:
        """The middle half of the ratios, as a part of their median."""
        if len(self.ratios) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.ratios, n=4, method="inclusive")
        return (high - low) / self.ratio

    @property
    def is_steady(self) -> bool:
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
        slowest_static = min(one.reference / one.static for one in self.rounds)
        return len(self.rounds) >= NUM_QUICK_PAIRS and max(self.ratios) < slowest_static / 2

    def resampled(self, rng: random.Random) -> "Series":
        """As many of its rounds, drawn with replacement: what might have been measured as well."""
        return Series(tuple(rng.choices(self.rounds, k=len(self.rounds))))


@dataclass(frozen=True)
class Measured:
    """The series that counts. `is_noisy`: none was steady, and this is the better one."""

    series: Series
    is_noisy: bool
    num_series: int


def measure(run_round: Callable[[int], Round], num_pairs: int, most_series: int = 2) -> Measured:
    """Rounds until a series of them is steady, at most `most_series` times.

    run_round  measures round 0, 1, 2, ...; who is first changes with its number
    """
    tried: list[Series] = []
    while len(tried) < most_series:
        series = measure_series(run_round, num_pairs)
        tried.append(series)
        if series.is_steady or series.is_hopeless:
            return Measured(series, False, len(tried))
    return Measured(max(tried, key=lambda series: series.share), True, len(tried))


def measure_series(run_round: Callable[[int], Round], num_pairs: int) -> Series:
    rounds: list[Round] = []
    for number in range(num_pairs):
        rounds.append(run_round(number))
        if Series(tuple(rounds)).is_hopeless:
            break
    return Series(tuple(rounds))
