"""Where a result comes from: which commit, when, which version of the lab, which Python."""

import platform
import sys
from datetime import UTC, datetime
from functools import cache

from batching_lab.submission.python_version import GRADING_PYTHON, version_text
from grader.grading.result import COMMIT, Result
from grader.options import UsageError
from grader.paths import ROOT, digest
from grader.sources import lab_files

LAB_VERSION = ROOT / "grader" / "lab_version.txt"  # in a bundle, which lacks what the version is made from
SUITE = ("starter", "tests")


def stamp(result: Result) -> None:
    """Enter what the grader knows by itself. Of the commit it is told: a student's .git could say, or do, anything."""
    result.graded_at = utc_text(datetime.now(UTC))
    result.lab = lab_version()
    result.python = platform.python_version()


@cache
def lab_version() -> str | None:
    """The version that `release` gives the student repository: the same for the same tests, library and skeletons."""
    if LAB_VERSION.exists():
        return LAB_VERSION.read_text(encoding="utf-8").strip() or None
    if not all((ROOT / folder).is_dir() for folder in SUITE):
        return None
    try:
        return suite_version({name: (ROOT / name).read_bytes() for name in lab_files(ROOT, SUITE)})
    except UsageError:  # a file of it is missing
        return None


def suite_version(files: dict[str, bytes]) -> str:
    """The same tests, library and skeletons have the same version, whenever they are released."""
    suite = [(name, files[name]) for name in sorted(files) if name.startswith(("starter/", "tests/"))]
    return digest(suite)[:12]


def about_python(version: tuple[int, int] = sys.version_info[:2]) -> list[str]:
    """For who runs the grader: a sentence if right submissions might fail here; none as it should be."""
    if version >= GRADING_PYTHON:
        return []
    told, here = version_text(GRADING_PYTHON), version_text(version)
    return [f"This is Python {here}, and students are told that {told} grades: what is new in {told} fails here."]


def utc_text(time: datetime) -> str:
    """A time as results keep it: 2026-11-30T14:03:00Z."""
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def commit_text(text: str) -> str | None:
    """A commit's name as it is kept; None for an empty text. Raises `ValueError`."""
    if text and not COMMIT.fullmatch(text.lower()):
        raise ValueError(f"{text!r} is no commit: 7 to 64 hexadecimal digits")
    return text.lower() or None


def time_text(text: str) -> str | None:
    """An ISO 8601 time as it is kept, in UTC; None for an empty text. Raises `ValueError`."""
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
        if time.tzinfo is not None:
            return utc_text(time)
    except (ValueError, OverflowError):
        pass
    raise ValueError(f"{text!r} is no time of the form 2026-11-30T14:03:00Z, with Z or an offset such as +01:00")
