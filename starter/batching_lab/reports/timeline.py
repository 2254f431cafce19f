"""A run drawn as text: one row a slot, one column a tick."""

import shutil
import sys
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TextIO

from batching_lab.tables import scheduled_text
from batching_lab.trace import TickRecord, Trace

MAX_TICKS = 200
MAX_LABELS = 8


@dataclass(frozen=True)
class Symbols:
    """What stands for an empty slot."""

    wasted: str  # the slot is empty while a request waits
    empty: str  # the slot is empty and nobody waits


UNICODE = Symbols(wasted="░", empty="·")
ASCII = Symbols(wasted="-", empty=".")


def symbols_for(stream: TextIO) -> Symbols:
    """Unicode if the stream can show it, else plain ASCII."""
    try:
        (UNICODE.wasted + UNICODE.empty).encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return UNICODE


@dataclass
class Gap:
    """Ticks in a row in which one slot is empty while the same requests wait."""

    slot: int
    first: int
    last: int
    waiting: list[str]

    def __str__(self) -> str:
        ticks = f"tick {self.first}" if self.first == self.last else f"ticks {self.first} to {self.last}"
        names = ", ".join(self.waiting[:3]) + (f" and {len(self.waiting) - 3} more" if len(self.waiting) > 3 else "")
        return f"slot {self.slot + 1} is empty in {ticks}, while {names} {'wait' if len(self.waiting) > 1 else 'waits'}"


@dataclass
class SlotView:
    """Which request is in which slot in each tick: a request takes the lowest free one and stays there."""

    num_slots: int
    cells: list[list[str | None]] = field(default_factory=list)  # per tick, per slot; None: empty
    waiting: list[list[str]] = field(default_factory=list)  # per tick


def slot_view(trace: Trace) -> SlotView:
    """Put every request of a run into slots."""
    most_running = max((tick.num_running for tick in trace.ticks), default=0)
    num_slots = trace.limits.max_num_seqs if trace.limits else most_running
    view = SlotView(max(num_slots, most_running))
    slots: list[str | None] = [None] * view.num_slots
    unfinished: dict[str, None] = {}
    arrivals = deque(sorted(trace.requests.values(), key=lambda request: request.arrival))
    for tick in trace.ticks:
        while arrivals and arrivals[0].arrival < tick.tick:
            request = arrivals.popleft()
            if request.status != "refused":
                unfinished[request.request_id] = None
        for request_id in tick.aborted:
            unfinished.pop(request_id, None)
        for request_id in (*tick.aborted, *tick.preempted):
            if request_id in slots:
                slots[slots.index(request_id)] = None
        for request_id in tick.num_scheduled_tokens:
            if request_id not in slots:
                slots[slots.index(None)] = request_id
        view.cells.append([None if name is None else cell_text(name, tick) for name in slots])
        view.waiting.append([name for name in unfinished if name not in slots])
        for request_id in tick.finished:
            slots[slots.index(request_id)] = None
            unfinished.pop(request_id, None)
    return view


def cell_text(request_id: str, tick: TickRecord) -> str:
    """`A`, `A:6` for six tokens, `(A)` if it holds its slot and computes nothing."""
    num_tokens = tick.num_scheduled_tokens.get(request_id)
    return f"({request_id})" if num_tokens is None else scheduled_text(request_id, num_tokens)


def gaps_of(view: SlotView) -> list[Gap]:
    """Where slots stood empty while somebody waited, slot by slot."""
    gaps = []
    for slot in range(view.num_slots):
        gap: Gap | None = None
        for tick, (cells, waiting) in enumerate(zip(view.cells, view.waiting, strict=True), start=1):
            if cells[slot] is not None or not waiting:
                gap = None
                continue
            still_waiting = [name for name in gap.waiting if name in waiting] if gap else []
            if gap and still_waiting:
                gap.last, gap.waiting = tick, still_waiting
            else:
                gap = Gap(slot, tick, tick, waiting)
                gaps.append(gap)
    return sorted(gaps, key=lambda gap: (gap.first, gap.slot))


def timeline(trace: Trace, symbols: Symbols | None = None, width: int | None = None, ticks: range | None = None) -> str:
    """The slots over time, the empty ones marked, and a sentence for each gap. Wide pictures are wrapped.

    symbols  None: what standard output can show
    width    columns; None: the terminal's
    ticks    which to draw, and to name the gaps of; None: the first `MAX_TICKS`, and all gaps
    """
    symbols = symbols or symbols_for(sys.stdout)
    width = width or shutil.get_terminal_size().columns
    view = slot_view(trace)
    gaps = gaps_of(view)
    drawn = range(1, min(trace.num_ticks, MAX_TICKS) + 1)
    if ticks is not None:
        drawn = range(ticks.start, min(trace.num_ticks + 1, ticks.stop))
        gaps = [gap for gap in gaps if gap.last >= drawn.start and gap.first < drawn.stop]
    rows = [["tick", *(str(tick) for tick in drawn)]]
    marks = [symbols.wasted if waiting else symbols.empty for waiting in view.waiting]
    for slot in range(view.num_slots):
        rows.append([f"slot {slot + 1}", *(view.cells[tick - 1][slot] or marks[tick - 1] for tick in drawn)])
    lines = wrapped(rows, width)
    if len(drawn) < trace.num_ticks:
        part = f"the first {len(drawn)}" if ticks is None else f"{drawn.start} to {drawn.stop - 1}"
        lines.append(f"({part} of {trace.num_ticks} ticks)")
    lines += [str(gap) for gap in gaps[:MAX_LABELS]]
    if len(gaps) > MAX_LABELS:
        lines.append(f"({len(gaps)} such gaps in all)")
    return "\n".join(lines)


def wrapped(rows: list[list[str]], width: int) -> list[str]:
    """Rows of cells as lines of at most `width` columns; what doesn't fit goes on below."""
    head = max(len(row[0]) for row in rows)
    cell = max((len(text) for row in rows for text in row[1:]), default=1)
    per_line = max(1, (width - head - 1) // (cell + 1))
    num_cells = len(rows[0]) - 1
    lines: list[str] = []
    for start in range(1, num_cells + 1, per_line):
        if lines:
            lines.append("")
        lines += [
            line(row[0].ljust(head), (text.ljust(cell) for text in row[start : start + per_line])) for row in rows
        ]
    return lines


def line(head: str, cells: Iterable[str]) -> str:
    """A row of the picture."""
    return f"{head}  {' '.join(cells)}".rstrip()
