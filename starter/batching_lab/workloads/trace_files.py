"""Jobs from recorded traffic, in four public forms:

    Azure     CSV, of 2023 and of 2024: TIMESTAMP,ContextTokens,GeneratedTokens, a date and time of day
    BurstGPT  CSV: Timestamp in seconds, Request tokens, Response tokens, with or without a Session ID
    Mooncake  JSON lines: "timestamp" in whole milliseconds, "input_length", "output_length"
    Qwen      JSON lines with the same names and a "chat_id": "timestamp" in seconds

What else a line holds (the "hash_ids" of shared prefixes, say) is not used. Only the names of the columns tell
milliseconds from seconds: whole seconds under Mooncake's names can't be told from milliseconds, and are taken for them.

The jobs are named r1, r2, ... in the order of the file. `max_tokens` is the length that was really
generated, since a trace doesn't say what the client had asked for. A length of 0 counts as 1: a prompt
begins with at least one special token, and computing it yields a token, whether the client used it or not.
So it is with a request that failed, which BurstGPT notes with 0 response tokens.
"""

import contextlib
import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import Any

from batching_lab.config import require_int
from batching_lab.request import Job
from batching_lab.workloads.jobs import make_job

AZURE = "TIMESTAMP,ContextTokens,GeneratedTokens"
BURST_GPT = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type"
BURST_GPT_SESSIONS = BURST_GPT.replace("Model", "Session ID,Elapsed time,Model")
# heading of a CSV file -> the columns with time, prompt length and output length
CSV_COLUMNS = {
    AZURE: ("TIMESTAMP", "ContextTokens", "GeneratedTokens"),
    BURST_GPT: ("Timestamp", "Request tokens", "Response tokens"),
    BURST_GPT_SESSIONS: ("Timestamp", "Request tokens", "Response tokens"),
}
DATE_AND_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?", re.ASCII)
SECONDS = re.compile(r"\d{1,12}(\.\d+)?", re.ASCII)
MOONCAKE_COLUMNS = ["timestamp", "input_length", "output_length"]
QWEN_MARKS = ("chat_id", "parent_chat_id")
COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
MIN_TICK_SECONDS, MAX_TICK_SECONDS = 0.000001, 86_400.0


@dataclass(frozen=True)
class TraceRow:
    """One request of a trace file.

    line         of the file, from 1
    since_first  time since the file's first request
    """

    line: int
    since_first: timedelta
    prompt_len: int
    output_len: int


@dataclass(frozen=True)
class TraceTime:
    """When a request came.

    since   some moment that all requests of a file have in common
    shown   for messages: what the file says
    kind    likewise: how it is to be read
    """

    since: timedelta
    shown: str
    kind: str


def is_trace_file(path: Path) -> bool:
    """By its name; `load_trace` asks for a compressed one to be unpacked."""
    suffix = path.suffix.lower()
    return suffix in READERS or (suffix in COMPRESSED and Path(path.stem).suffix.lower() in READERS)


def load_trace(path: Path, limit: int | None = None, tick_seconds: float | None = None) -> list[Job]:
    """The jobs of a trace file: Azure's or BurstGPT's if it ends in .csv, Mooncake's or Qwen's if in .jsonl.

    limit         only the first so many requests; no more of the file is read
    tick_seconds  how long a tick is, which gives the arrivals: floor(seconds since the first request /
                  tick_seconds); None: all are there from the start

    Raises `ValueError` that names the file, the line and the column that can't be read, and for a limit
    below 1 or a `tick_seconds` that is not between a microsecond and a day.
    """
    if limit is not None:
        require_int("limit", limit, 1)
    if tick_seconds is not None and not MIN_TICK_SECONDS <= tick_seconds <= MAX_TICK_SECONDS:
        raise ValueError(f"tick_seconds must be between {MIN_TICK_SECONDS:f} and 86400, not {tick_seconds}")
    suffix = path.suffix.lower()
    if suffix in COMPRESSED:
        raise ValueError(f"{path} is compressed: unpack it first, and give the .csv or .jsonl file")
    read_rows = READERS.get(suffix)
    if read_rows is None:
        raise ValueError(
            f"{path}: a trace file's name must end in .csv (Azure) or .jsonl (Mooncake); BurstGPT's in .csv, Qwen's in "
            ".jsonl"
        )
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            rows = islice(read_rows(path, lines), limit)
            jobs = [job_of(path, number, row, tick_seconds) for number, row in enumerate(rows, start=1)]
    except OSError as error:
        raise ValueError(f"can't read the trace file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text") from None
    if not jobs:
        raise ValueError(f"{path}: there is no request in it")
    return jobs


def job_of(path: Path, number: int, row: TraceRow, tick_seconds: float | None) -> Job:
    """A row as a job; `tick_seconds` as in `load_trace`. Raises `ValueError` that names file and line."""
    # two timedeltas are divided exactly, so that 0.3 s with ticks of 0.1 s is tick 3 and not 2
    arrival = 0 if tick_seconds is None else row.since_first // timedelta(seconds=tick_seconds)
    try:
        return make_job(f"r{number}", max(1, row.prompt_len), max(1, row.output_len), arrival=arrival)
    except ValueError as error:
        raise ValueError(f"{path}, line {row.line}: {error}") from None


def since_first(where: str, column: str, time: TraceTime, first: TraceTime) -> timedelta:
    """Raises `ValueError` for a time before the first request's, and for one that is to be read in another way."""
    if time.kind != first.kind:
        raise ValueError(
            f"{where}, column {column}: {time.shown} is {time.kind}, but the first request's is {first.kind}"
        )
    if time.since < first.since:
        raise ValueError(f"{where}, column {column}: {time.shown} is before the first request, {first.shown}")
    return time.since - first.since


# -- CSV


def csv_rows(path: Path, lines: Iterable[str]) -> Iterator[TraceRow]:
    """Read an Azure or BurstGPT trace line by line. Raises `ValueError` as `load_trace` does."""
    reader = csv.reader(lines)
    first: TraceTime | None = None
    try:
        heading = next(reader, None)
        if heading is None:
            return
        columns = CSV_COLUMNS.get(",".join(heading))
        if columns is None:
            raise ValueError(
                f"{path}, line 1: the heading must be {AZURE}, not {','.join(heading)!r} (BurstGPT's {BURST_GPT} is "
                "read, too)"
            )
        for cells in reader:
            where = f"{path}, line {reader.line_num}"
            if not cells:
                continue  # an empty line
            if len(cells) != len(heading):
                raise ValueError(f"{where}: {len(cells)} columns, but there must be {len(heading)}")
            time_text, prompt_len, output_len = (cells[heading.index(column)] for column in columns)
            time = (date_and_time if columns[0] == "TIMESTAMP" else time_in_seconds)(where, time_text)
            first = first or time
            yield TraceRow(
                reader.line_num,
                since_first(where, columns[0], time, first),
                number_of(where, columns[1], prompt_len),
                number_of(where, columns[2], output_len),
            )
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: not CSV: {error}") from None


def date_and_time(where: str, text: str) -> TraceTime:
    """Azure's. Digits beyond the microsecond are dropped; the only time zone is UTC, as in the traces, or none."""
    time: datetime | None = None
    if DATE_AND_TIME.fullmatch(text):
        with contextlib.suppress(ValueError):  # the 31st of February
            time = datetime.fromisoformat(text)
    if time is None:
        raise ValueError(f"{where}, column TIMESTAMP: must look like 2023-11-16 18:17:03.9799600, not {text!r}")
    kind = "without a time zone" if time.tzinfo is None else "with a time zone"
    return TraceTime(time - datetime(1970, 1, 1, tzinfo=time.tzinfo), str(time), kind)


def time_in_seconds(where: str, text: str) -> TraceTime:
    """BurstGPT's."""
    if not SECONDS.fullmatch(text):
        raise ValueError(f"{where}, column Timestamp: must be seconds, as in BurstGPT's traces, not {text!r}")
    return TraceTime(exact_seconds(Decimal(text)), text, "in seconds")


def exact_seconds(seconds: Decimal) -> timedelta:
    """Digits beyond the microsecond are dropped."""
    return timedelta(microseconds=int(seconds * 1_000_000))


def number_of(where: str, column: str, text: str) -> int:
    """A whole number in a CSV file. Raises `ValueError` that names file, line and column."""
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError(f"{where}, column {column}: must be a whole number of at most 9 digits, not {text!r}")
    return int(text)


# -- JSON lines


def json_rows(path: Path, lines: Iterable[str]) -> Iterator[TraceRow]:
    """Read a Mooncake or Qwen trace line by line. Raises `ValueError` as `load_trace` does."""
    first: TraceTime | None = None
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        where = f"{path}, line {line}"
        entry = json_entry(where, text)
        time = json_time(where, entry)
        prompt_len, output_len = (length_of(where, column, entry[column]) for column in MOONCAKE_COLUMNS[1:])
        first = first or time
        yield TraceRow(line, since_first(where, "timestamp", time, first), prompt_len, output_len)


def json_entry(where: str, text: str) -> dict[str, Any]:
    """A line that has `MOONCAKE_COLUMNS`."""
    try:
        entry = json.loads(text, parse_float=exact_number, parse_constant=str)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where} column {error.colno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not JSON that can be read: {error}") from None
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: wanted an object with {', '.join(MOONCAKE_COLUMNS)}")
    for column in MOONCAKE_COLUMNS:
        if column not in entry:
            raise ValueError(f"{where}, column {column}: is missing")
    return entry


def exact_number(text: str) -> Decimal:
    """A JSON number without rounding. Raises `ValueError` for an exponent that is out of range."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"the number {text[:60]} is out of range") from None


def json_time(where: str, entry: dict[str, Any]) -> TraceTime:
    """In seconds from a line with a chat_id, Qwen's; else in whole milliseconds, Mooncake's."""
    value = entry["timestamp"]
    shown = str(value)[:60]
    is_in_range = type(value) in (int, Decimal) and 0 <= value < 10**12
    if any(mark in entry for mark in QWEN_MARKS):
        if not is_in_range:
            raise ValueError(f"{where}, column timestamp: must be seconds, as in Qwen's traces, not {shown!r}")
        return TraceTime(exact_seconds(Decimal(value)), shown, "in seconds, as in Qwen's traces (by its chat_id)")
    if not is_in_range or type(value) is not int:
        raise ValueError(
            f"{where}, column timestamp: must be a whole number of milliseconds, as in Mooncake's traces, not "
            f"{shown!r}; seconds are read only from lines with a chat_id, as in Qwen's traces"
        )
    return TraceTime(timedelta(milliseconds=value), shown, "in milliseconds, as in Mooncake's traces (no chat_id)")


def length_of(where: str, column: str, value: Any) -> int:
    """A length in tokens, 0 or more. Raises `ValueError` that names file, line and column."""
    if type(value) is not int or not 0 <= value < 10**12:
        raise ValueError(f"{where}, column {column}: must be a whole number, not {str(value)[:60]!r}")
    return value


READERS = {".csv": csv_rows, ".jsonl": json_rows}
