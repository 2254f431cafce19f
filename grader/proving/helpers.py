"""What proofs and tests share: folders with submissions, the points that this machine can give, runs of pytest."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from batching_lab.submission.files import submitted_files
from grader.grading.runnable import MODEL_PART, not_runnable
from grader.paths import RIGHT, ROOT, SOLUTION
from grader.worker.client import Limits, Sandbox
from grader.worker.sandbox import make_readable

RIGHT_SUBMISSIONS = sorted(path for path in RIGHT.iterdir() if path.is_dir())
FILES = ("scheduler.py", "kv_allocator.py", "answers.toml")
HAS_MODEL = not not_runnable(MODEL_PART)  # is PyTorch installed?
MODEL_POINTS = 4 if HAS_MODEL else 0
ALL_POINTS = 90 + MODEL_POINTS  # that a grading run can give on this machine
SHORT = Limits(load_seconds=2.0, call_seconds=0.5)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "starter"), "COLUMNS": "120", "PYTHONUTF8": "0"}
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


def holding(sandbox: Sandbox, folder: Path) -> Sandbox:
    """The sandbox with this submission instead of the former one. Its template stays: that takes long to start."""
    for path in sandbox.submission.iterdir():
        path.unlink()
    files, _ = submitted_files(folder)
    for name, content in files.items():
        (sandbox.submission / name).write_bytes(content)
    make_readable(sandbox.submission)
    line_counts = {name: content.count(b"\n") + 1 for name, content in files.items() if name.endswith(".py")}
    return replace(sandbox, line_counts=line_counts, load_faults={})


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
