"""Two runs compared tick by tick: the first tick that differs, with the lines around it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from batching_lab.schedule import Schedule
from batching_lab.tables import format_table, scheduled_text, shortened
from batching_lab.trace import Trace


@dataclass(frozen=True)
class Difference:
    """The first tick in which a run is not as expected.

    kind   what differs, one of the keys of KINDS
    other  who was admitted instead of the request
    """

    tick: int
    kind: str
    request_id: str | None = None
    other: str | None = None

    def __str__(self) -> str:
        return f"Tick {self.tick}: {self.text}"

    @property
    def text(self) -> str:
        """What differs, in words, without the tick."""
        return KINDS[self.kind].format(self.request_id, self.other)


KINDS = {
    "left out": "{} did not run, but should have: it was running already",
    "not admitted": "{} did not run, but should have: it was waiting and should have been admitted",
    "overtaken": "{} did not run, but should have: {} was admitted in its place",
    "admitted": "{} ran, but should not have: it should have waited",
    "extra": "{} ran, but should not have",
    "fewer tokens": "{} computed fewer tokens than it should have",
    "more tokens": "{} computed more tokens than it should have",
    "order": "the right sequences ran, but in another order",
    "preemption missing": "{} was not preempted, but should have been",
    "preemption extra": "{} was preempted, but should not have been",
    "preemption order": "the right sequences were preempted, but in another order",
    "ended early": "the run was over, but this tick was still to come",
    "ended late": "the run should have been over, but went on",
}


def parse_ticks(text: str) -> list[Schedule]:
    """Ticks as a person writes them, one a line: `3  A B:6 -C`.

    `A` computes one token, `B:6` six, `-C` is preempted at that boundary, `idle` is a tick without work.

    >>> parse_ticks("1  A B:6 -C")
    [Schedule(num_scheduled_tokens={'A': 1, 'B': 6}, preempted=('C',))]

    Raises `ValueError` for a line that can't be read; the ticks must be numbered from 1.
    """
    schedules = []
    for number, line in enumerate((line for line in text.splitlines() if line.strip()), start=1):
        tick, *words = line.split()
        if tick != str(number):
            raise ValueError(f"tick {number} was expected, but the line is {line.strip()!r}")
        num_scheduled_tokens: dict[str, int] = {}
        preempted: list[str] = []
        for word in [] if words == ["idle"] else words:
            match = re.fullmatch(r"(?P<victim>-)?(?P<id>[^\s:-][^\s:]*)(?::(?P<tokens>[1-9]\d*))?", word)
            if match is None or word == "idle" or (match["victim"] and match["tokens"]):
                raise ValueError(f"tick {number}: can't read {word!r}")
            if match["victim"]:
                preempted.append(match["id"])
            elif match["id"] in num_scheduled_tokens:
                raise ValueError(f"tick {number}: {match['id']} is there twice")
            else:
                num_scheduled_tokens[match["id"]] = int(match["tokens"] or 1)
        schedules.append(Schedule(num_scheduled_tokens, tuple(preempted)))
    return schedules


def schedules_of(trace: Trace) -> list[Schedule]:
    """What was decided in each tick of a run; the first is tick 1."""
    return [Schedule(tick.num_scheduled_tokens, tick.preempted) for tick in trace.ticks]


def first_difference(expected: Sequence[Schedule], got: Sequence[Schedule]) -> Difference | None:
    """The first tick that differs, None if there is none."""
    started: set[str] = set()  # who was admitted before and has not been preempted since
    for tick, (wanted, found) in enumerate(zip(expected, got, strict=False), start=1):
        started -= set(wanted.preempted)
        difference = _difference_in_tick(tick, wanted, found, started)
        if difference is not None:
            return difference
        started |= wanted.num_scheduled_tokens.keys()
    if len(got) < len(expected):
        return Difference(len(got) + 1, "ended early")
    if len(got) > len(expected):
        return Difference(len(expected) + 1, "ended late")
    return None


def _difference_in_tick(tick: int, wanted: Schedule, found: Schedule, started: set[str]) -> Difference | None:
    for request_id in wanted.preempted:
        if request_id not in found.preempted:
            return Difference(tick, "preemption missing", request_id)
    for request_id in found.preempted:
        if request_id not in wanted.preempted:
            return Difference(tick, "preemption extra", request_id)
    if wanted.preempted != found.preempted:
        return Difference(tick, "preemption order")
    extra = [request_id for request_id in found.num_scheduled_tokens if request_id not in wanted.num_scheduled_tokens]
    newcomer = next((request_id for request_id in extra if request_id not in started), None)
    for request_id, num_tokens in wanted.num_scheduled_tokens.items():
        if request_id not in found.num_scheduled_tokens:
            if request_id in started:
                return Difference(tick, "left out", request_id)
            return Difference(tick, "overtaken" if newcomer else "not admitted", request_id, newcomer)
        if found.num_scheduled_tokens[request_id] != num_tokens:
            fewer = found.num_scheduled_tokens[request_id] < num_tokens
            return Difference(tick, "fewer tokens" if fewer else "more tokens", request_id)
    for request_id in extra:
        return Difference(tick, "extra" if request_id in started else "admitted", request_id)
    if list(wanted.num_scheduled_tokens) != list(found.num_scheduled_tokens):
        return Difference(tick, "order")
    return None


def side_by_side(
    expected: Sequence[Schedule],
    got: Sequence[Schedule],
    tick: int,
    around: int = 3,
    names: tuple[str, str] = ("expected", "got"),
    end: str = "(over)",
) -> str:
    """Both runs around a tick, which is marked with `>`; `end` stands where the second run has no tick."""
    rows = []
    for number in range(max(1, tick - around), min(max(len(expected), len(got)), tick + around) + 1):
        cells = [
            shortened(schedule_text(run[number - 1])) if number <= len(run) else over
            for run, over in ((expected, "(over)"), (got, end))
        ]
        rows.append((">" if number == tick else " ", str(number), *cells))
    return format_table(("", "tick", *names), rows)


def schedule_text(schedule: Schedule) -> str:
    """One tick as `parse_ticks` reads it.

    >>> schedule_text(Schedule({"A": 1, "B": 6}, preempted=("C",)))
    'A B:6 -C'
    """
    words = [scheduled_text(request_id, m) for request_id, m in schedule.num_scheduled_tokens.items()]
    return " ".join(words + [f"-{request_id}" for request_id in schedule.preempted]) or "idle"


def compare_traces(first: Trace, second: Trace, names: tuple[str, str] = ("first", "second")) -> str:
    """A sentence and a table about the first tick in which two runs differ."""
    one, other = schedules_of(first), schedules_of(second)
    difference = first_difference(one, other)
    if difference is None:
        return f"No tick differs: both runs take {first.num_ticks} ticks."
    return f"The first tick that differs is tick {difference.tick}.\n" + side_by_side(
        one, other, difference.tick, names=names
    )
