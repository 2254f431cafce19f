"""Jobs from recorded traffic: the Azure LLM inference CSV and the Mooncake JSON lines.

    Azure     a heading TIMESTAMP,ContextTokens,GeneratedTokens and a line a request
    Mooncake  one object a line: "timestamp" in ms, "input_length", "output_length"; what else it holds
              (the "hash_ids" of shared prefixes) is not used, since the lab has no prefix cache

The jobs are named r1, r2, ... in the order of the file. `max_tokens` is the length that was really
generated, since a trace doesn't say what the client had asked for. A length of 0 counts as 1: a prompt
begins with at least one special token, and computing it yields a token, whether the client used it or not.
"""

import contextlib
import csv
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path

from batching_lab.config import require_int
from batching_lab.jobs import make_job
from batching_lab.request import Job

AZURE_COLUMNS = ["TIMESTAMP", "ContextTokens", "GeneratedTokens"]
MOONCAKE_COLUMNS = ["timestamp", "input_length", "output_length"]
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


def load_trace(path: Path, limit: int | None = None, tick_seconds: float | None = None) -> list[Job]:
    """The jobs of a trace file: Azure if it ends in .csv, Mooncake if in .jsonl.

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
    read_rows = READERS.get(path.suffix.lower())
    if read_rows is None:
        raise ValueError(f"{path}: a trace file's name must end in .csv (Azure) or .jsonl (Mooncake)")
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
    # two timedeltas are divided exactly, so that 0.3 s with ticks of 0.1 s is tick 3 and not 2
    arrival = 0 if tick_seconds is None else row.since_first // timedelta(seconds=tick_seconds)
    try:
        return make_job(f"r{number}", max(1, row.prompt_len), max(1, row.output_len), arrival=arrival)
    except ValueError as error:
        raise ValueError(f"{path}, line {row.line}: {error}") from None


def azure_rows(path: Path, lines: Iterable[str]) -> Iterator[TraceRow]:
    """Read an Azure trace line by line. Raises `ValueError` as `load_trace` does."""
    reader = csv.reader(lines)
    first_time: datetime | None = None
    try:
        for cells in reader:
            where = f"{path}, line {reader.line_num}"
            if reader.line_num == 1:
                if cells != AZURE_COLUMNS:
                    raise ValueError(f"{where}: the heading must be {','.join(AZURE_COLUMNS)}, not {','.join(cells)!r}")
                continue
            if not cells:
                continue  # an empty line
            if len(cells) != len(AZURE_COLUMNS):
                raise ValueError(f"{where}: {len(cells)} columns, but there must be {len(AZURE_COLUMNS)}")
            time = time_of(where, cells[0])
            first_time = first_time or time
            if time < first_time:
                raise ValueError(f"{where}, column TIMESTAMP: {time} is before the first request, {first_time}")
            yield TraceRow(
                reader.line_num,
                time - first_time,
                number_of(where, "ContextTokens", cells[1]),
                number_of(where, "GeneratedTokens", cells[2]),
            )
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: not CSV: {error}") from None


def time_of(where: str, text: str) -> datetime:
    """Digits beyond the microsecond are dropped; the only time zone is +00:00, as in the traces, or none."""
    time: datetime | None = None
    with contextlib.suppress(ValueError):
        time = datetime.fromisoformat(text.removesuffix("+00:00"))
    if time is None or time.tzinfo is not None:
        raise ValueError(f"{where}, column TIMESTAMP: must look like 2023-11-16 18:17:03.9799600, not {text!r}")
    return time


def number_of(where: str, column: str, text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError(f"{where}, column {column}: must be a whole number of at most 9 digits, not {text!r}")
    return int(text)


def mooncake_rows(path: Path, lines: Iterable[str]) -> Iterator[TraceRow]:
    """Read a Mooncake trace line by line. Raises `ValueError` as `load_trace` does."""
    first_ms: int | None = None
    for line, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        milliseconds, prompt_len, output_len = mooncake_numbers(f"{path}, line {line}", text)
        first_ms = milliseconds if first_ms is None else first_ms
        if milliseconds < first_ms:
            raise ValueError(
                f"{path}, line {line}, column timestamp: {milliseconds} is before the first request, {first_ms}"
            )
        yield TraceRow(line, timedelta(milliseconds=milliseconds - first_ms), prompt_len, output_len)


def mooncake_numbers(where: str, text: str) -> list[int]:
    """The numbers of `MOONCAKE_COLUMNS` from one line."""
    try:
        entry = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{where} column {error.colno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where}: not JSON that can be read: {error}") from None
    if not isinstance(entry, dict):
        raise ValueError(f"{where}: wanted an object with {', '.join(MOONCAKE_COLUMNS)}")
    for column in MOONCAKE_COLUMNS:
        if column not in entry:
            raise ValueError(f"{where}, column {column}: is missing")
        if type(entry[column]) is not int or not 0 <= entry[column] < 10**12:
            raise ValueError(f"{where}, column {column}: must be a whole number, not {str(entry[column])[:60]!r}")
    return [entry[column] for column in MOONCAKE_COLUMNS]


READERS = {".csv": azure_rows, ".jsonl": mooncake_rows}
