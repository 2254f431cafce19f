"""Gradescope's results.json."""

import json
from typing import Any

from grader.grading.report import STATUS_WORDS, isolation_sentence, origin_sentences, why_no_score
from grader.grading.result import PartResult, Result, TestResult


def gradescope_result(result: Result) -> dict[str, Any]:
    """A test per hidden test, its part as tag.

    Where there is no score there is no test either, but a sentence: Gradescope then shows that the autograder failed
    and gives no points, which is not the same as zero points.
    """
    if sentence := why_no_score(result):
        return {
            "output": "\n".join([sentence, *origin_sentences(result)]),
            "visibility": "visible",
            "stdout_visibility": "hidden",
            "extra_data": {"status": result.status, "key": result.key},
        }
    notes = [f"Not run: {', '.join(result.not_run)}."] if result.not_run else []
    return {
        "score": result.score,
        "execution_time": round(sum(test.duration_s for part in result.parts for test in part.tests)),
        "output": "\n".join([*notes, *result.notes, *origin_sentences(result)]) or "Graded with the hidden tests.",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "extra_data": {
            "status": result.status,
            "key": result.key,
            "isolation": isolation_sentence(result.isolation),
        },
        "tests": [
            one_test(part, test, f"{number}.{index}")
            for number, part in enumerate(result.parts, start=1)
            for index, test in enumerate(part.tests, start=1)
        ],
        "leaderboard": [
            {"name": "Points", "value": result.score, "order": "desc"},
            *({"name": f"Part {part.part}", "value": part.score, "order": "desc"} for part in result.parts),
        ],
    }


def one_test(part: PartResult, test: TestResult, number: str) -> dict[str, Any]:
    """Gradescope's entry for a test; `number` is its place in the list."""
    return {
        "name": f"Part {part.part}: {test.id}",
        "number": number,
        "score": test.score,
        "max_score": test.max_score,
        "status": "passed" if test.status == "passed" else "failed",
        "output": test.message or STATUS_WORDS[test.status],
        "tags": [f"part {part.part}", test.status],
        "visibility": "visible",
    }


def gradescope_text(result: Result) -> str:
    """The text of results.json."""
    return json.dumps(gradescope_result(result), indent=1, ensure_ascii=False) + "\n"
