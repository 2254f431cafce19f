"""`classroom50/result/v1`, for a grading that staff ran themselves and enter as a manual result.

Where Classroom 50 runs the public tests, the bundle's autograder.py writes this file itself.
"""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from grader.export.numbers import whole_scores
from grader.result import Result
from grader.usage import UsageError

SCHEMA = "classroom50/result/v1"


@dataclass(frozen=True)
class Submission:
    """What Classroom 50 knows about a submission, and the grader does not."""

    classroom: str
    assignment: str
    owner: str
    submission: str  # the tag, submit/...
    commit: str
    release: str
    when: str  # of the submission, not of the grading


def classroom50_result(result: Result, about: Submission, graded_at: datetime | None = None) -> dict[str, Any]:
    """Raises `UsageError` when the grader failed: the format has no way to say so but a zero."""
    if result.status == "grader_error":
        raise UsageError(f"{about.owner}: the grader failed and gave no score, which Classroom 50 can't be told")
    tests = [(part, test) for part in result.parts for test in part.tests]
    scores = whole_scores([(test.score, test.max_score) for _, test in tests])
    lines = [
        {
            "test-name": f"Part {part.part}: {test.id}",
            "passed": test.status == "passed",
            "score": score,
            "max-score": maximum,
            "status": test.status,
            "message": test.message,
        }
        for (part, test), (score, maximum) in zip(tests, scores, strict=True)
    ]
    return {
        "schema": SCHEMA,
        "classroom": about.classroom,
        "assignment": about.assignment,
        "assignment_type": "individual",
        "owner": about.owner,
        "submission": about.submission,
        "commit": about.commit,
        "release": about.release,
        "review": about.commit,
        "datetime": about.when,
        "graded_at": (graded_at or datetime.now(UTC)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(score for score, _ in scores),
        "max-score": sum(maximum for _, maximum in scores),
        "tests": lines,
    }


def classroom50_text(result: Result, about: Submission) -> str:
    return json.dumps(classroom50_result(result, about), indent=1, ensure_ascii=False) + "\n"
