"""Builds submission folders for the tests."""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from grader.grade import MODEL_PART, not_runnable

ROOT = Path(__file__).parents[2]
SOLUTION = ROOT / "solution"
RIGHT = sorted(path for path in (ROOT / "grader" / "right").iterdir() if path.is_dir())
FILES = ("scheduler.py", "kv_allocator.py", "answers.toml")
HAS_MODEL = not not_runnable(MODEL_PART)  # is PyTorch installed?
MODEL_POINTS = 4 if HAS_MODEL else 0
ALL_POINTS = 90 + MODEL_POINTS  # that a grading run can give on this machine


def make_submission(
    to: Path, changes: Iterable[tuple[str, str, str]] = (), files: dict[str, str] | None = None, base: Path = SOLUTION
) -> Path:
    """A copy of the solution with text changes (file, old, new), each of which must hit once, and extra files."""
    to.mkdir(parents=True)
    for path in base.iterdir():
        if path.is_file():
            shutil.copy(path, to)
    if not (to / "answers.toml").exists():
        shutil.copy(SOLUTION / "answers.toml", to)
    for name, old, new in changes:
        text = (to / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name}: {text.count(old)} times {old!r}"
        (to / name).write_text(text.replace(old, new), encoding="utf-8")
    for name, text in (files or {}).items():
        (to / name).write_text(text, encoding="utf-8")
    return to


def slow_after(number: int, cases: Iterable[Any], name: Callable[[Any], str]) -> list[Any]:
    """As parameters of a test: all but the first ones are run by `make slow`, not by `make test`."""
    return [
        pytest.param(case, id=name(case), marks=[pytest.mark.slow] if n >= number else [])
        for n, case in enumerate(cases)
    ]
