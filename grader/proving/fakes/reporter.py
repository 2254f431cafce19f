"""What GitHub's autograding reporter makes of the outputs of its runners.

Its arithmetic and the lines that tell what passed, as commit d13b5912daf5042ac1b71bc38bdb4a6bcd61d8ca of
classroom-resources/autograding-grading-reporter has them. That script's build was run on outputs of the lab, too, by
hand, with Node 20.
"""

from dataclasses import dataclass
from typing import Any


@dataclass
class Report:
    notice: tuple[int, int]  # "Points 7/15"
    rows: dict[str, tuple[float, int]]  # of the table, a runner each
    total: tuple[float, int]
    lines: list[str]
    exit_status: int


def reporter(results: dict[str, dict[str, Any]]) -> Report:
    """results  name of a runner -> the decoded value of its variable"""
    counted = [result for result in results.values() if result["max_score"]]
    points = sum(test["score"] for result in counted for test in result["tests"])
    rows, lines = {}, []
    for runner, result in results.items():
        passed = sum(test["status"] == "pass" for test in result["tests"])
        rows[runner] = (passed / len(result["tests"]) * result["max_score"], result["max_score"])
        lines += [line_of(test) for test in result["tests"]]
    total = (sum(score for score, _ in rows.values()), sum(maximum for _, maximum in rows.values()))
    is_passed = all(result["status"] not in ("fail", "error") for result in results.values())
    return Report((points, sum(result["max_score"] for result in counted)), rows, total, lines, int(not is_passed))


def line_of(test: dict[str, Any]) -> str:
    if test["status"] == "error":
        return f"Error: {test['message']}"
    return f"{'passed' if test['status'] == 'pass' else 'failed'}: {test['name']}"
