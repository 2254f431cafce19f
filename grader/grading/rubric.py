"""The rubric: which tests there are, what they are worth, and what a student is told."""

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.paths import RUBRIC


@dataclass(frozen=True)
class RubricTest:
    """One hidden test: the function `test_<id>` of the part's file, or what the GPU stage measures under this name.

    rule  the rule of the lab that it is about, one sentence
    hint  where a student whose submission fails should look
    """

    id: str
    part: str
    points: float
    rule: str
    hint: str


@dataclass(frozen=True)
class Part:
    """seconds: what the submission's workers may use of their own time in all tests of the part

    stage   "tests": the hidden tests, which `grade` runs; "gpu": the GPU stage
    number  how the part's files of tests are named: Part 6-cpu's are test_part6_*.py
    """

    id: str
    title: str
    points: float
    seconds: float
    tests: tuple[RubricTest, ...]
    stage: Literal["tests", "gpu"] = "tests"

    @property
    def has_hidden_tests(self) -> bool:
        """Does `grade` run tests for it? The report and the GPU stage have none."""
        return self.stage == "tests" and bool(self.tests)

    @property
    def number(self) -> str:
        """Without what follows a hyphen: "6" of Part 6-cpu."""
        return self.id.partition("-")[0]


def load_rubric(path: Path = RUBRIC) -> dict[str, Part]:
    """Part id -> part, in order. Raises `ValueError` if a part's tests do not add up to its points."""
    return dict(parts_in(path.read_text(encoding="utf-8"), path.name))


@functools.cache
def parts_in(text: str, name: str) -> dict[str, Part]:
    """The parts in a rubric's text, which many ask for; name: of its file"""
    data = tomllib.loads(text)
    tests = [RubricTest(**entry) for entry in data["test"]]
    parts = {}
    for entry in data["part"]:
        part = Part(**entry, tests=tuple(test for test in tests if test.part == entry["id"]))
        parts[part.id] = part
    for part in parts.values():
        total = sum(test.points for test in part.tests)
        if part.tests and total != part.points:
            raise ValueError(f"{name}: the tests of part {part.id} add up to {total:g}, not {part.points:g}")
    for test in tests:
        if test.part not in parts:
            raise ValueError(f"{name}: test {test.id} names a part {test.part} that there is not")
    return parts
