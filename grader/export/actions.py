"""What GitHub's autograding reporter reads: base64 of JSON, whole points.

The reporter's notice adds up the `score` of the entries; its table counts those with the status `pass`. It throws when
there are none, and prints no name of one with the status `error`.
"""

import base64
import json
from typing import Any

from grader.export.numbers import TOLERANCE
from grader.grading.report import why_no_score
from grader.grading.result import Result
from grader.release.files.autograde import entry, point_entries


def actions_result(result: Result) -> dict[str, Any]:
    """Without a score: status `error` and nothing out of nothing, which is no points.

    Points are rounded down, and a point less than all of them is left to a result to which a half is missing.
    """
    if result.score is None:
        told = entry("Grader", "error", 0, why_no_score(result))
        return {"version": 1, "status": "error", "max_score": 0, "tests": [told]}
    is_complete = result.score >= result.max_score - TOLERANCE
    maximum = int(result.max_score + TOLERANCE)
    score = maximum if is_complete else max(0, min(int(result.score + TOLERANCE), maximum - 1))
    failed = {
        f"Part {part.part}: {test.id}": test.message
        for part in result.parts
        for test in part.tests
        if test.score < test.max_score
    }
    entries = point_entries("", score, maximum, {} if is_complete else failed)
    return {"version": 1, "status": "pass" if is_complete else "fail", "max_score": maximum, "tests": entries}


def actions_output(result: Result) -> str:
    """In base64, one line, as a runner writes it into its output."""
    return base64.b64encode(json.dumps(actions_result(result)).encode()).decode() + "\n"
