"""Points given by hand, for the written part: `grade --manual FILE`."""

import tomllib
from pathlib import Path
from typing import Any

from grader.result import PartResult, TestResult

FIELDS = {"id", "title", "max_points", "points", "comment"}


def load_manual(path: Path) -> PartResult:
    """The part "report" from a filled-in copy of report_rubric.toml.

    Raises `ValueError` with a sentence that names the file, the criterion and what is wrong.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ValueError(f"--manual: can't read {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"--manual: {path} is not valid TOML: {error}") from None
    criteria = data.get("criterion")
    if not isinstance(criteria, list) or not criteria or set(data) != {"criterion"}:
        raise ValueError(f"--manual: {path} must hold [[criterion]] entries and nothing else")
    tests = [criterion_result(f"--manual: {path}, criterion {n}", entry) for n, entry in enumerate(criteria, start=1)]
    ids = [test.id for test in tests]
    for test_id in ids:
        if ids.count(test_id) > 1:
            raise ValueError(f"--manual: {path}: two criteria have the id {test_id}")
    return PartResult("report", "Report", sum(t.score for t in tests), sum(t.max_score for t in tests), tests)


def criterion_result(where: str, entry: dict[str, Any]) -> TestResult:
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
            raise ValueError(f"{where}: {field} must be a number of points, not {entry[field]!r}")
    if entry["points"] > entry["max_points"]:
        raise ValueError(f"{where}: {entry['points']:g} points are more than the {entry['max_points']:g} there are")
    score, max_score = float(entry["points"]), float(entry["max_points"])
    if score == max_score:
        return TestResult(entry["id"], score, max_score, "passed", entry["comment"], 0.0)
    return TestResult(entry["id"], score, max_score, "failed", f"{entry['title']}. {entry['comment']}".strip(), 0.0)
