"""The result of grading one submission, and the file that it is kept in."""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

from grader.text import without_paths

SCHEMA = "batching-lab/result/v1"

Status = Literal["graded", "grader_error", "not_submitted"]
Level = Literal["full", "weak", "development"]
TestStatus = Literal["passed", "failed", "error", "timeout", "not_run"]


@dataclass
class TestResult:
    __test__ = False  # for pytest: this is no test class

    id: str
    score: float
    max_score: float
    status: TestStatus
    message: str
    duration_s: float


@dataclass
class PartResult:
    part: str
    title: str
    score: float
    max_score: float
    tests: list[TestResult] = field(default_factory=list)


@dataclass
class Isolation:
    """How well the submission was kept away from the grader, and what was missing."""

    level: Level
    missing: list[str]


@dataclass
class Result:
    """`score` is None when the grader itself failed: an infrastructure fault is never a zero.

    It is None, too, when nothing was handed in that could be graded (`not_submitted`). `error` says what happened: of a
    `grader_error` to staff, of what was not handed in to the student, too. Where a result comes from is entered by
    `grader.origin.stamp` and by who knows the commit; a time is of the form 2026-11-30T14:03:00Z.
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
    about_machine: list[str] = field(default_factory=list)  # for who runs the grader; not kept

    def add_part(self, part: PartResult) -> None:
        """Points from elsewhere; without a score of the tests there is no sum."""
        self.parts.append(part)
        self.max_score += part.max_score
        if self.score is not None:
            self.score += part.score

    def to_json(self) -> str:
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
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
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
