"""Planted faults: what students believe about the rules, each as a few lines over the solution.

A file `partN_NAME.py` has what the student thought as its docstring, PART, CAUGHT_BY (the hidden tests that must catch
it), FILE and CHANGES: pairs of a text of the solution and what stands there instead. coverage.toml lists the rules and
which faults break them.
"""

import importlib
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.grading.grade import run_hidden_tests, worker_harness
from grader.grading.result import TestResult
from grader.grading.rubric import Part, load_rubric
from grader.paths import WRONG
from grader.proving.helpers import make_submission
from grader.worker.client import DEFAULT_LIMITS, Limits
from grader.worker.sandbox import sandbox_for

COVERAGE_FILE = WRONG / "coverage.toml"


@dataclass(frozen=True)
class Fault:
    """thought: what the student believed. caught_by: the tests of the part that must catch it, in the rubric's order."""

    name: str
    thought: str
    part: str
    caught_by: tuple[str, ...]
    file: str
    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Rule:
    """A rule, a method or a fault of a real engine, and the planted faults that get it wrong.

    untold  why no test can tell a submission that gets it wrong from a right one; then there are no faults
    """

    where: str
    text: str
    faults: tuple[str, ...] = ()
    untold: str = ""


def load_fault(name: str) -> Fault:
    """Raises `ModuleNotFoundError` if there is none of that name."""
    module = importlib.import_module(f"grader.proving.wrong.{name}")
    named = [test.id for test in load_rubric()[module.PART].tests if test.id in module.CAUGHT_BY]
    if len(named) != len(module.CAUGHT_BY):
        raise ValueError(f"{name}: not all of {module.CAUGHT_BY} are tests of part {module.PART}")
    changes = tuple((old, new) for old, new in module.CHANGES)
    return Fault(name, (module.__doc__ or "").strip(), module.PART, tuple(named), module.FILE, changes)


def all_faults() -> list[Fault]:
    """Every planted fault, by name."""
    return [load_fault(path.stem) for path in sorted(WRONG.glob("part*.py"))]


def coverage() -> list[Rule]:
    """The rules in the order of coverage.toml."""
    data = tomllib.loads(COVERAGE_FILE.read_text(encoding="utf-8"))
    return [
        Rule(entry["where"], entry["rule"], tuple(entry.get("faults", ())), entry.get("untold", ""))
        for entry in data["rule"]
    ]


def write_submission(fault: Fault, folder: Path) -> Path:
    """The solution with the fault in it, in a folder that is not there yet."""
    return make_submission(folder, [(fault.file, old, new) for old, new in fault.changes])


def outcomes(fault: Fault, folder: Path, limits: Limits = DEFAULT_LIMITS) -> dict[str, TestResult]:
    """The results of the tests that the fault names, on its submission in this folder."""
    part = load_rubric()[fault.part]
    tests = tuple(test for test in part.tests if test.id in fault.caught_by)
    with sandbox_for(folder) as (sandbox, _):
        return run_hidden_tests(
            [Part(part.id, part.title, part.points, part.seconds, tests)], worker_harness(sandbox, limits), "hint"
        )


def told(faults: list[Fault], limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[Fault, str]]:
    """Each fault with what its student is told by the first of the tests that it names; "" if that test passes."""
    for fault in faults:
        with tempfile.TemporaryDirectory(prefix="batching-lab-") as name:
            results = outcomes(fault, write_submission(fault, Path(name, fault.name)), limits)
        yield fault, results[fault.caught_by[0]].message
