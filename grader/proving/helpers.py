"""What proofs and tests share: folders with submissions, the points that this machine can give, runs of pytest."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import grader.grading.grade
from batching_lab.submission.files import submitted_files
from grader.grading.rubric import Part, load_rubric
from grader.grading.runnable import MODEL_PART, not_runnable
from grader.paths import RIGHT, ROOT, SOLUTION
from grader.worker.client import Limits, Sandbox
from grader.worker.sandbox import compile_submission, make_readable

RIGHT_SUBMISSIONS = sorted(path for path in RIGHT.iterdir() if path.is_dir())
FILES = ("scheduler.py", "kv_allocator.py", "answers.toml")
HAS_MODEL = not not_runnable(MODEL_PART)  # is PyTorch installed?
MODEL_POINTS = 4 if HAS_MODEL else 0
ALL_POINTS = 90 + MODEL_POINTS  # that a grading run can give on this machine
SHORT = Limits(load_seconds=2.0, call_seconds=0.5)
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(ROOT / "starter"),
    "COLUMNS": "120",
    "PYTHONUTF8": "0",
    "PYTEST_ADDOPTS": "-p no:xdist -p no:hypothesispytest",  # they take longer to import than a part's tests to run
}
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
SKELETON = """
from batching_lab import *
{top}
class ContinuousScheduler:
    def __init__(self, config, allocator=None):
        {init}
    def add_request(self, request):
        {add_request}
    def abort(self, request_id):
        pass
    def schedule(self):
        {schedule}
    def update(self, sampled):
        {update}
    def has_unfinished(self):
        {has_unfinished}
class StaticScheduler(ContinuousScheduler):
    pass
"""


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


@contextlib.contextmanager
def hidden_tests_only(*test_ids: str) -> Generator[None]:
    """What is graded in this process meanwhile is graded by these tests alone; a part is worth what its tests are."""
    rubric = {part.id: with_tests(part, test_ids) for part in load_rubric().values()}
    assert sum(len(part.tests) for part in rubric.values()) == len(test_ids), "some are not there"
    with mock.patch.object(grader.grading.grade, "load_rubric", lambda: rubric):
        yield


def with_tests(part: Part, test_ids: Iterable[str]) -> Part:
    """The part with those of its tests that are named."""
    tests = tuple(test for test in part.tests if test.id in test_ids)
    return replace(part, tests=tests, points=sum(test.points for test in tests))


def holding(sandbox: Sandbox, folder: Path) -> Sandbox:
    """The sandbox with this submission instead of the former one. Its template stays: that takes long to start."""
    shutil.rmtree(sandbox.submission / "__pycache__", ignore_errors=True)
    for path in sandbox.submission.iterdir():
        path.unlink()
    files, _ = submitted_files(folder)
    for name, content in files.items():
        (sandbox.submission / name).write_bytes(content)
    make_readable(sandbox.submission)
    line_counts = {name: content.count(b"\n") + 1 for name, content in files.items() if name.endswith(".py")}
    held = replace(sandbox, line_counts=line_counts, imports={}, load_faults={})
    return replace(held, imports=compile_submission(held))


def slow_after(number: int, cases: Iterable[Any], name: Callable[[Any], str]) -> list[Any]:
    """As parameters of a test: all but the first ones are run by `make slow`, not by `make test`."""
    return [
        pytest.param(case, id=name(case), marks=[pytest.mark.slow] if n >= number else [])
        for n, case in enumerate(cases)
    ]


def scheduler_file(**bodies: str) -> dict[str, str]:
    """A scheduler.py whose methods do what is given, and nothing else."""
    names = ("top", "init", "add_request", "schedule", "update", "has_unfinished")
    texts = dict.fromkeys(names, "pass") | {"schedule": "return Schedule({})", "update": "return []"}
    texts |= {"has_unfinished": "return False", "top": ""} | bodies
    return {"scheduler.py": SKELETON.format(**texts)}


def run_pytest(*arguments: str, code: str = "") -> tuple[int, str]:
    """`python -m pytest ARGUMENTS` in the repository, or a script that ends by calling pytest.main(ARGUMENTS)."""
    command = [sys.executable, "-m", "pytest", *arguments]
    if code:
        command = [sys.executable, "-c", f"{code}\nimport sys, pytest\nsys.exit(pytest.main(sys.argv[1:]))", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout + done.stderr


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    """Ask until it is so, at most so many seconds; returns whether it is."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.05)
    return condition()
