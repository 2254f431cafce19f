"""Grades one submission: has the hidden tests run, and adds up the points.

A hidden test's points are given in plugin.py. run_tests.py runs the tests of some parts; shares.py shares the parts out
among processes.
"""

from collections.abc import Iterable
from pathlib import Path

from grader.grading.key import grading_key
from grader.grading.options import DEFAULT_OPTIONS, GradingOptions
from grader.grading.origin import about_python, stamp
from grader.grading.plugin import GraderError
from grader.grading.result import PartResult, Result, TestResult
from grader.grading.rubric import Part, load_rubric
from grader.grading.runnable import not_runnable
from grader.grading.shares import run_parts
from grader.worker.isolation import NOT_ISOLATED, Isolation, IsolationError
from grader.worker.text import clean_text


def grade(
    folder: Path,
    part_ids: Iterable[str] | None = None,
    options: GradingOptions = DEFAULT_OPTIONS,
    processes: int = 1,
) -> Result:
    """Run the hidden tests on a submission's folder, and add up its points.

    part_ids   None: all parts that have hidden tests
    processes  among which the parts are shared out (Linux)

    A part that needs what is not installed is not run; `about_machine` says why, and what else is not as it should be.
    A fault of the grader's own is a `grader_error` in the result, without a score; it is not raised.
    """
    parts = load_rubric()
    wanted = [part for part in parts.values() if part.has_hidden_tests and (part_ids is None or part.id in part_ids)]
    about_machine = [sentence for part in wanted if (sentence := not_runnable(part.id))]
    wanted = [part for part in wanted if not not_runnable(part.id)]
    not_run = [part.id for part in parts.values() if part not in wanted]
    result = begun_result(folder, sum(part.points for part in wanted), not_run)
    result.about_machine = [*about_python(), *about_machine]
    try:
        outcomes: dict[str, TestResult] = {}
        for ran in run_parts(folder, wanted, options, processes):
            if ran.key != result.key:
                raise GraderError("the submission changed while it was graded")
            outcomes |= ran.outcomes
            result.notes, result.isolation = ran.notes, ran.isolation
    except (GraderError, IsolationError, RuntimeError, OSError) as error:
        result.status, result.error = "grader_error", str(error)
        return result
    result.parts = [part_result(part, outcomes) for part in wanted]
    result.score = sum(part.score for part in result.parts)
    return result


def part_result(part: Part, outcomes: dict[str, TestResult]) -> PartResult:
    """The maximum comes from the rubric, whatever was collected."""
    tests = [outcomes[test.id] for test in part.tests]
    return PartResult(part.id, part.title, sum(test.score for test in tests), part.points, tests)


def begun_result(folder: Path, max_score: float, not_run: list[str]) -> Result:
    """Of a grading that begins: without a score, but with the submission's key and where the result comes from."""
    result = Result(
        status="graded",
        submission=folder_name(folder),
        key=grading_key(folder),
        isolation=Isolation("development", NOT_ISOLATED),
        score=None,
        max_score=max_score,
        not_run=not_run,
        parts=[],
    )
    stamp(result)
    return result


def folder_name(folder: Path) -> str:
    """The name under which a submission is kept: without where it lies; also of "." and of ".."."""
    return clean_text((folder if folder.name not in ("", "..") else folder.resolve()).name, 200)
