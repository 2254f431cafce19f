"""How numbers and ticks are written in tables: text only, whatever it is about."""

from collections.abc import Sequence
from typing import TypeVar

PERCENTILES = (50, 95, 99)
MAX_CELL = 80  # columns of a table's cell

Number = TypeVar("Number", int, float)


def format_table(heading: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """The rows under the heading, in columns; a column that is empty in every row is left out.

    >>> print(format_table(("tick", "ran", "preempted"), [("1", "A B", ""), ("2", "A", "")]))
    tick  ran
    1     A B
    2     A
    """
    used = [i for i in range(len(heading)) if any(row[i] for row in rows)]
    lines = [heading, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(heading))]
    return "\n".join("  ".join(line[i].ljust(widths[i]) for i in used).rstrip() for line in lines)


def shortened(text: str) -> str:
    """A cell of a table that a person can still read: what is longer than `MAX_CELL` is cut."""
    return text if len(text) <= MAX_CELL else text[: MAX_CELL - 4] + " ..."


def scheduled_text(request_id: str, num_tokens: int) -> str:
    """How tables write a scheduled sequence: `A` for one token, `A:6` for six."""
    return request_id if num_tokens == 1 else f"{request_id}:{num_tokens}"


def percent(share: float | None) -> str:
    """A share of a whole, 0 to 1, as `67%`; `-` for None."""
    return "-" if share is None else f"{share:.0%}"


def percentiles(values: Sequence[Number], percents: Sequence[int] = PERCENTILES) -> list[Number]:
    """For each percent p the smallest value that is at least as large as p % of the values (nearest rank).

    >>> percentiles([10, 40, 20, 30], (50, 99))
    [20, 40]

    Raises `IndexError` if there are no values.
    """
    ordered = sorted(values)
    return [ordered[max(0, -(-percent * len(ordered) // 100) - 1)] for percent in percents]
