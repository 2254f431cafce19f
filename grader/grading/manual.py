"""Points given by hand, for the written part: `grade --manual FILE`, and `export --manual FOLDER` for a class."""

import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from grader.grading.result import PartResult, Result, TestResult
from grader.options import UsageError
from grader.worker.text import clean_text

REPORT = "report"
FIELDS = {"id", "title", "max_points", "points", "comment"}


def load_manual(path: Path) -> PartResult:
    """The part "report" from a filled-in copy of report_rubric.toml.

    Raises `ValueError` with a sentence that names the file, the criterion and what is wrong.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ValueError(f"--manual: can't read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # no TOML, no UTF-8, too large a number, too deep
        raise ValueError(f"--manual: {path} is not valid TOML: {error}") from None
    criteria = data.get("criterion")
    if not isinstance(criteria, list) or not criteria or set(data) != {"criterion"}:
        raise ValueError(f"--manual: {path} must hold [[criterion]] entries and nothing else")
    tests = [criterion_result(f"--manual: {path}, criterion {n}", entry) for n, entry in enumerate(criteria, start=1)]
    ids = [test.id for test in tests]
    for test_id in ids:
        if ids.count(test_id) > 1:
            raise ValueError(f"--manual: {path}: two criteria have the id {test_id}")
    return PartResult(REPORT, "Report", sum(t.score for t in tests), sum(t.max_score for t in tests), tests)


def merge_manual(results: dict[str, Result], place: Path) -> list[str]:
    """Add each student's points by hand, from FOLDER/NAME.toml; returns sentences about what was not added.

    place  the folder, or, where there is one result, its file

    Raises `UsageError`, before anything is added, if a file can't be used: a slip of the pen must not lower a sum.
    """
    files = manual_files(place, list(results))
    parts: dict[str, PartResult] = {}
    faults = []
    for student in sorted(name for name in results if name in files and results[name].score is not None):
        try:
            parts[student] = load_manual(files[student])
        except ValueError as error:
            faults.append(str(error))
        if any(part.part == REPORT for part in results[student].parts):
            faults.append(f"--manual: the result of {student} has Part {REPORT} already")
    if faults:
        raise UsageError("\ngrader: ".join(faults))
    for student, result in results.items():
        if student in parts:
            result.add_part(parts[student])
        elif result.score is not None:
            result.notes.append("There are no points by hand for the report.")
    return manual_sentences(results, files, parts)


def manual_sentences(results: dict[str, Result], files: dict[str, Path], parts: dict[str, PartResult]) -> list[str]:
    """Names that don't match, and rubrics that differ: whoever exports is to see them."""
    usual = Counter(map(criteria_of, parts.values())).most_common(1)
    names = {
        "has no points by hand, there is no file of that name": results.keys() - files.keys(),
        "has no score, so the points by hand were not added": (results.keys() & files.keys()) - parts.keys(),
        "was not used, no result is of that name": files.keys() - results.keys(),
        "has other criteria or other maximum points than most": {
            name for name, part in parts.items() if criteria_of(part) != usual[0][0]
        },
    }
    return [f"--manual: {clean_text(name, 200)} {what}" for what, those in names.items() for name in sorted(those)]


def manual_files(place: Path, students: list[str]) -> dict[str, Path]:
    """Whose points they are -> the file. What macOS leaves beside a file is none."""
    if place.is_file():
        if len(students) != 1:
            raise UsageError(
                f"--manual: {place} is one file; for {len(students)} results a folder of NAME.toml is needed"
            )
        return {students[0]: place}
    if not place.is_dir():
        raise UsageError(f"--manual: there is no file or folder {place}")
    paths = [path for path in sorted(place.rglob("*.toml")) if path.is_file() and not path.name.startswith("._")]
    return {path.relative_to(place).as_posix().removesuffix(".toml"): path for path in paths}


def criteria_of(part: PartResult) -> tuple[tuple[str, float], ...]:
    """Id and maximum of each criterion: by these the rubrics of a class are compared."""
    return tuple((test.id, test.max_score) for test in part.tests)


def shown(value: object) -> str:
    """A value from a file, short enough for a sentence."""
    try:
        return clean_text(repr(value), 60)
    except ValueError:  # more digits than Python writes
        return "a number that large"


def criterion_result(where: str, entry: dict[str, Any]) -> TestResult:
    """The points of one criterion. Raises `ValueError` with a sentence that begins with `where`."""
    if not isinstance(entry, dict):
        raise ValueError(f"{where} must be a table, [[criterion]]")
    for field in sorted(FIELDS - entry.keys()):
        raise ValueError(f"{where}: {field} is missing")
    for field in sorted(entry.keys() - FIELDS):
        raise ValueError(f"{where}: {field} is not one of {', '.join(sorted(FIELDS))}")
    for field in ("id", "title", "comment"):
        if type(entry[field]) is not str:
            raise ValueError(f"{where}: {field} must be a text, not {entry[field]!r}")
    where = f"{where} ({entry['id']})"
    if entry["points"] == "?":
        raise ValueError(f"{where} has no points yet")
    for field in ("points", "max_points"):
        if type(entry[field]) not in (int, float) or not 0 <= entry[field] < 1000:
            raise ValueError(f"{where}: {field} must be a number of points, not {shown(entry[field])}")
    if entry["points"] > entry["max_points"]:
        raise ValueError(f"{where}: {entry['points']:g} points are more than the {entry['max_points']:g} there are")
    score, max_score = float(entry["points"]), float(entry["max_points"])
    if score == max_score:
        return TestResult(entry["id"], score, max_score, "passed", entry["comment"], 0.0)
    return TestResult(entry["id"], score, max_score, "failed", f"{entry['title']}. {entry['comment']}".strip(), 0.0)
