"""Planted faults: what students believe about the rules, each as a few lines over the solution.

A file `partN_NAME.py` has what the student thought as its docstring, and the `Fault` (grader/proving/fault.py) as FAULT.
coverage.toml lists the rules and which faults break them.
"""

import importlib
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.grading.result import TestResult
from grader.grading.rubric import Part, load_rubric
from grader.grading.run_tests import run_hidden_tests, worker_harness
from grader.paths import WRONG
from grader.proving.fault import Fault
from grader.proving.helpers import make_submission
from grader.worker.client import DEFAULT_LIMITS, Limits, Sandbox
from grader.worker.sandbox import sandbox_for

COVERAGE_FILE = WRONG / "coverage.toml"


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
    """The fault of this name. Raises `ModuleNotFoundError` if there is none, `ValueError` if it names no test of its part."""
    module = importlib.import_module(f"grader.proving.wrong.{name}")
    fault: Fault = module.FAULT
    caught_by = tuple(test.id for test in load_rubric()[fault.part].tests if test.id in fault.caught_by)
    if len(caught_by) != len(fault.caught_by):
        raise ValueError(f"{name}: not all of {fault.caught_by} are tests of part {fault.part}")
    return replace(fault, caught_by=caught_by, name=name, thought=(module.__doc__ or "").strip())


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
    with sandbox_for(folder) as (sandbox, _):
        return outcomes_in(sandbox, fault, limits)


def outcomes_in(sandbox: Sandbox, fault: Fault, limits: Limits) -> dict[str, TestResult]:
    """As `outcomes`, in a sandbox that holds the submission."""
    part = load_rubric()[fault.part]
    tests = tuple(test for test in part.tests if test.id in fault.caught_by)
    named = Part(part.id, part.title, part.points, part.seconds, tests)
    return run_hidden_tests([named], worker_harness(sandbox, limits), "hint")


def told(faults: list[Fault], limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[Fault, str]]:
    """Each fault with what its student is told by the first of the tests that it names; "" if that test passes."""
    for fault in faults:
        with tempfile.TemporaryDirectory(prefix="batching-lab-") as name:
            results = outcomes(fault, write_submission(fault, Path(name, fault.name)), limits)
        yield fault, results[fault.caught_by[0]].message
