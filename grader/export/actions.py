"""What GitHub's autograding reporter reads: base64 of JSON, whole points.

The reporter adds up the `score` of the tests and throws when there are none.
"""

import base64
import json
from typing import Any

from grader.export.numbers import whole_scores
from grader.report import why_no_score
from grader.result import Result

STATUS = {"passed": "pass", "failed": "fail", "error": "error", "timeout": "error", "not_run": "fail"}


def actions_result(result: Result) -> dict[str, Any]:
    """A test per hidden test. Without a score: status `error` and nothing out of nothing, which is no points."""
    if sentence := why_no_score(result):
        test = one_test("Grader", "error", 0, sentence, 0.0)
        return {"version": 1, "status": "error", "max_score": 0, "tests": [test]}
    tests = [(part, test) for part in result.parts for test in part.tests]
    scores = whole_scores([(test.score, test.max_score) for _, test in tests])
    lines = [
        one_test(f"Part {part.part}: {test.id}", STATUS[test.status], score, test.message, test.duration_s)
        for (part, test), (score, _) in zip(tests, scores, strict=True)
    ]
    is_complete = result.score is not None and result.score >= result.max_score
    max_score = sum(maximum for _, maximum in scores)
    return {"version": 1, "status": "pass" if is_complete else "fail", "max_score": max_score, "tests": lines}


def one_test(name: str, status: str, score: int, message: str, seconds: float) -> dict[str, Any]:
    """The reporter prints messages as they are: on one line they can't give GitHub a command."""
    return {
        "name": " ".join(name.split()),
        "status": status,
        "score": score,
        "message": " ".join(message.split()),
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": round(1000 * seconds),
    }


def actions_output(result: Result) -> str:
    return base64.b64encode(json.dumps(actions_result(result)).encode()).decode() + "\n"
