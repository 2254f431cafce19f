"""The result of grading one submission, and the file that it is kept in."""

import contextlib
import json
import math
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Literal, get_args

from grader.options import UsageError
from grader.worker.isolation import Isolation, Level
from grader.worker.text import clean_text, without_paths

SCHEMA = "batching-lab/result/v1"
ANY_SCHEMA = SCHEMA.rpartition("/")[0] + "/"
MAX_BYTES = 64 << 20
COMMIT = re.compile(r"[0-9a-f]{7,64}")  # its name, as git gives it
ABOUT_MACHINE = re.compile(r"Part \S+ can't be run here: ")  # stood among the notes of older results

TestStatus = Literal["passed", "failed", "error", "timeout", "not_run"]
Status = Literal["graded", "grader_error", "not_submitted"]


@dataclass
class TestResult:
    """One hidden test, one criterion of the report, or one measurement of the GPU stage. duration_s: seconds"""

    __test__ = False  # for pytest: this is no test class

    id: str
    score: float
    max_score: float
    status: TestStatus
    message: str
    duration_s: float


@dataclass
class PartResult:
    """A part's points, and the tests that they are the sum of."""

    part: str
    title: str
    score: float
    max_score: float
    tests: list[TestResult] = field(default_factory=list)


@dataclass
class Result:
    """What came of one submission.

    Without a score (None) is who handed in nothing that could be graded (`not_submitted`), and whose grading failed
    (`grader_error`): a fault of the grader's or of a machine is never a zero. `error` then says what happened: a
    `grader_error` to the staff alone, `not_submitted` to the student as well.

    `grader.grading.origin.stamp` enters where the result comes from; the commit comes from whoever knows it. Times are
    of the form 2026-11-30T14:03:00Z.
    """

    status: Status
    submission: str  # the name of its folder
    key: str
    isolation: Isolation
    score: float | None
    max_score: float
    not_run: list[str]
    parts: list[PartResult]
    notes: list[str] = field(default_factory=list)
    error: str = ""
    gpu: dict[str, Any] | None = None  # what the GPU stage measured
    commit: str | None = None  # which one was graded
    commit_time: str | None = None
    graded_at: str | None = None
    lab: str | None = None  # its version, as `release` gives it
    python: str | None = None  # the version that graded
    about_machine: list[str] = field(default_factory=list)  # for whoever runs the grader; not kept

    def add_part(self, part: PartResult) -> None:
        """Points from elsewhere; without a score of the tests there is no sum."""
        self.parts.append(part)
        self.max_score += part.max_score
        if self.score is not None:
            self.score += part.score

    def to_json(self) -> str:
        """The text of the result's file. What only concerns who runs the grader is left out, and so are paths."""
        data = {"schema": SCHEMA, **asdict(self)}
        del data["about_machine"]
        if self.status == "graded":
            del data["error"]
        else:
            data["error"] = without_paths(self.error)
        if self.gpu is None:
            del data["gpu"]
        return json.dumps(data, indent=1, ensure_ascii=False)


def without_score(status: Status, submission: str, error: str) -> Result:
    """Of somebody whose submission was never run; one sentence says why."""
    return Result(status, submission, "", Isolation("development", []), None, 0.0, [], [], error=error)


def write_atomically(path: Path, text: str) -> None:
    """Write the whole file or nothing, also if the process is killed on the way."""
    with whole_or_nothing(path) as file:
        file.write(text.encode("utf-8"))


@contextlib.contextmanager
def whole_or_nothing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of `path` when all is written; if anything is raised, `path` stays as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:60]}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink()
        raise


class Foreign(UsageError):
    """A readable file that is no result and does not look like one: an index, what students were told."""


def load_result(path: Path) -> Result:
    """Raises `UsageError` with a sentence if the file is not what the grader writes."""
    data = read_json(path)
    if not isinstance(data, dict) or not looks_like_a_result(data):
        raise Foreign(f"{path} is no result of the grader")
    if data.get("schema") not in (None, SCHEMA):
        raise UsageError(f"{path} is a result of another version of the grader: {data['schema']}, not {SCHEMA}")
    try:
        return result_from(data)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise UsageError(f"{path} is no result of the grader: {type(error).__name__} {error}") from None


def looks_like_a_result(data: dict[str, Any]) -> bool:
    """Also one of another version, or without one."""
    schema = data.get("schema")
    return data.keys() >= {"status", "parts"} if schema is None else str(schema).startswith(ANY_SCHEMA)


def read_json(path: Path) -> Any:
    """Raises `UsageError`. Nothing is waited for; what can't be written as UTF-8 becomes a question mark."""
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind) or not stat.S_ISREG(kind):
            raise UsageError(f"{path} can't be read: it is {'a folder' if stat.S_ISDIR(kind) else 'no plain file'}")
        if path.stat().st_size > MAX_BYTES:
            raise UsageError(f"{path} can't be read: it is larger than {MAX_BYTES >> 20} MiB")
        raw = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None
    if not raw.strip():
        raise UsageError(f"{path} is empty")
    try:
        data = json.loads(raw, object_pairs_hook=each_key_once)
        return json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
    except KeyTwice as error:
        raise UsageError(f"{path} can't be read as JSON: {error}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} can't be read as JSON") from None


class KeyTwice(ValueError):
    """A JSON object has two entries of the same name."""


def each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `json.loads`, which would take the last of two scores. Raises `KeyTwice`."""
    data: dict[str, Any] = {}
    for key, value in pairs:
        if key in data:
            raise KeyTwice(f"the key {clean_text(key, 100)!r} stands twice in one place")
        data[key] = value
    return data


def result_from(data: dict[str, Any]) -> Result:
    """Raises `KeyError`, `TypeError` or `ValueError` if the data is not what `to_json` writes."""
    if data["schema"] != SCHEMA or data["status"] not in get_args(Status):
        raise ValueError("another schema or status")
    is_graded = data["status"] == "graded"
    notes = [str(note) for note in data.get("notes", [])]
    return Result(
        status=data["status"],
        submission=str(data["submission"]),
        key=str(data["key"]),
        isolation=isolation_from(data["isolation"]),
        score=number(data["score"]) if is_graded else None,
        max_score=number(data["max_score"]),
        not_run=[str(part) for part in data["not_run"]],
        parts=[part_from(part) for part in data["parts"]],
        notes=[note for note in notes if not ABOUT_MACHINE.match(note)],
        about_machine=[note for note in notes if ABOUT_MACHINE.match(note)],
        error=without_paths(str(data.get("error", ""))),
        gpu=gpu_from(data.get("gpu")),
        commit=text_or_none(data.get("commit")),
        commit_time=text_or_none(data.get("commit_time")),
        graded_at=text_or_none(data.get("graded_at")),
        lab=text_or_none(data.get("lab")),
        python=text_or_none(data.get("python")),
    )


def isolation_from(data: dict[str, Any]) -> Isolation:
    """Raises `ValueError` for a level that there is not."""
    if data["level"] not in get_args(Level):
        raise ValueError(f"the isolation {data['level']!r}")
    return Isolation(data["level"], [str(name) for name in data["missing"]])


def gpu_from(data: dict[str, Any] | None) -> dict[str, Any] | None:
    """Its keys that are read here."""
    if data is None:
        return None
    read = {"rehearsal": bool(data["rehearsal"]), "flags": [str(flag) for flag in data["flags"]]}
    return {**data, **read, "about": dict(data.get("about", {})), "code": str(data.get("code", ""))}


def text_or_none(value: object) -> str | None:
    """Older results lack what came later."""
    return clean_text(value, 100) if isinstance(value, str) and value else None


def part_from(data: dict[str, Any]) -> PartResult:
    """Raises `KeyError`, `TypeError` or `ValueError` as `result_from`."""
    tests = [one_test_from(test) for test in data["tests"]]
    return PartResult(str(data["part"]), str(data["title"]), number(data["score"]), number(data["max_score"]), tests)


def one_test_from(data: dict[str, Any]) -> TestResult:
    """Raises `KeyError`, `TypeError` or `ValueError` as `result_from`."""
    if data["status"] not in get_args(TestStatus):
        raise ValueError(f"the status {data['status']!r}")
    scores = number(data["score"]), number(data["max_score"])
    return TestResult(str(data["id"]), *scores, data["status"], str(data["message"]), number(data["duration_s"]))


def number(value: object) -> float:
    """As a float. Raises `ValueError` for what is no finite number, True among it."""
    if type(value) not in (int, float) or not math.isfinite(value):  # type: ignore[arg-type]
        raise ValueError(f"{value!r} where a number should be")
    return float(value)  # type: ignore[arg-type]
