"""Grades by hand for Classroom 50: entries of CLASSROOM/scores.json, which is what its pages and its collector read.

Where Classroom 50 runs the public tests, the bundle's autograder.py writes a result of its own for each push.
"""

import csv
import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from grader.export.numbers import whole_scores
from grader.origin import utc_text
from grader.report import why_no_score
from grader.result import Result
from grader.usage import UsageError

SCORES_SCHEMA = "classroom50/scores/v1"
RESULT_SCHEMA = "classroom50/result/v1"
SLUG = re.compile(r"[a-z0-9][a-z0-9-]{1,99}")
LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
BY_HAND = "submit/manual-"  # Classroom 50 shows a record whose name starts so as the grade
OURS = BY_HAND + "batching-lab-"
LONG_AGO = datetime.min.replace(tzinfo=UTC)
TYPES = {"individual", "group", "team"}
LOGIN_COLUMNS = ("username", "github_username", "login")


@dataclass(frozen=True)
class Classroom:
    classroom: str
    assignment: str
    roster: dict[str, str] | None = None  # a login, or a name that a result may have, in small letters -> the login

    def owner(self, student: str) -> str | None:
        """The login of whom a result is about: without a roster, what follows CLASSROOM-ASSIGNMENT- in its name."""
        prefix = f"{self.classroom}-{self.assignment}-".lower()
        rest = student[len(prefix) :] if student.lower().startswith(prefix) else None
        if self.roster is not None:
            return self.roster.get(student.lower()) or self.roster.get((rest or "").lower())
        return rest if rest and LOGIN.fullmatch(rest) else None


@dataclass
class Entered:
    """What came of entering a class's grades; sentences about the others."""

    text: str
    num_entries: int
    not_entered: list[str]
    without_score: list[str]


def enter_grades(results: dict[str, Result], scores: dict[str, Any], about: Classroom) -> Entered:
    """Enter each result into `scores`, which loses nothing: neither others' entries nor a student's submissions."""
    bucket = scores["assignments"].setdefault(about.assignment, {"type": "individual", "entries": []})
    entered = Entered("", 0, [], [])
    owners = {student: owner for student in results if (owner := about.owner(student))}
    logins = [owner.lower() for owner in owners.values()]
    for student, result in results.items():
        owner = owners.get(student)
        if sentence := why_no_score(result):
            entered.without_score.append(f"{student}: {sentence} It is not entered: Classroom 50 knows no such grade.")
        elif owner is None:
            where = f"{about.classroom}-{about.assignment}-LOGIN" if about.roster is None else "the roster"
            entered.not_entered.append(f"{student}: whose result this is does not follow from {where}")
        elif logins.count(owner.lower()) > 1:
            entered.not_entered.append(f"{student}: another result is of {owner}, too")
        elif why := enter_one(bucket, owner, result, about.classroom):
            entered.not_entered.append(f"{student}: {why}")
        else:
            entered.num_entries += 1
    entered.text = json.dumps(scores, indent=2, allow_nan=False) + "\n"
    return entered


def enter_one(bucket: dict[str, Any], owner: str, result: Result, classroom: str) -> str:
    """Why it was not entered; empty if it was."""
    entries: list[dict[str, Any]] = bucket["entries"]
    same = [entry for entry in entries if str(entry.get("owner", "")).lower() == owner.lower()]
    if len(same) > 1:
        return f"scores.json holds {len(same)} entries of {owner}"
    if not same and bucket["type"] != "individual":
        return f"scores.json has no entry of {owner}, so who belongs to the group is not known: collect first"
    entry: dict[str, Any] = same[0] if same else {"owner": owner, "override": True, "submissions": []}
    ours = [record for record in entry["submissions"] if str(record.get("submission", "")).startswith(OURS)]
    others = [record for record in entry["submissions"] if record not in ours]
    by_hand = [record for record in others if str(record.get("submission", "")).startswith(BY_HAND)]
    if entry.get("override") is True and same and (not ours or newest(by_hand) > newest(ours)):
        return f"{owner} has a grade by hand already, which stays; clear it in Classroom 50 first"
    entry["override"] = True
    entry["submissions"] = [record_of(result, entry["owner"], classroom, bucket["type"], others), *others]
    if not same:
        entries.append(entry)
    return ""


def record_of(
    result: Result, owner: str, classroom: str, assignment_type: str, others: list[dict[str, Any]]
) -> dict[str, Any]:
    """As Classroom 50 writes a grade by hand, with a line for each part; the same again for the same result.

    Its time is the grading's, but after all submissions of the student: the newest counts, and a push may be ahead.
    """
    graded_at = time_of(result.graded_at) or datetime.now(UTC)
    after = [time + timedelta(seconds=1) for record in others if (time := time_of(record.get("datetime")))]
    name = OURS + utc_text(graded_at).replace(":", "-")
    scores = whole_scores([(part.score, part.max_score) for part in result.parts])
    return {
        "schema": RESULT_SCHEMA,
        "classroom": classroom,
        "assignment_type": assignment_type,
        "owner": owner,
        "submission": name,
        "commit": name,
        "release": name,
        "review": name,
        "datetime": utc_text(max([graded_at, *after])),
        "graded_at": utc_text(graded_at),
        "score": sum(score for score, _ in scores),
        "max-score": sum(maximum for _, maximum in scores),
        "tests": [
            {
                "test-name": f"Part {part.part}: {part.title}",
                "passed": part.score >= part.max_score,
                "score": score,
                "max-score": maximum,
            }
            for part, (score, maximum) in zip(result.parts, scores, strict=True)
        ],
    }


def newest(records: list[dict[str, Any]]) -> datetime:
    return max((time for record in records if (time := time_of(record.get("datetime")))), default=LONG_AGO)


def time_of(text: object) -> datetime | None:
    try:
        time = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return time if time.tzinfo else None


def load_scores(path: Path | None) -> dict[str, Any]:
    """What is there already, or an empty one. Raises `UsageError` when it is anything else, rather than replace it."""
    nothing: dict[str, Any] = {"schema": SCORES_SCHEMA, "assignments": {}}
    if path is None or not path.exists():
        return nothing
    try:
        text = path.read_text(encoding="utf-8")
        scores: dict[str, Any] = json.loads(text) if text.strip() else nothing
        json.dumps(scores, allow_nan=False)
        scores["assignments"] = scores.get("assignments") or {}
        entries = [entry for bucket in scores["assignments"].values() for entry in bucket["entries"]]
        records = [record for entry in entries for record in entry["submissions"]]
        types = {bucket["type"] for bucket in scores["assignments"].values()}
        if (
            not types <= TYPES
            or scores["schema"] != SCORES_SCHEMA
            or not all(type(value) is dict for value in (*entries, *records))
        ):
            raise ValueError("another schema")
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} is no {SCORES_SCHEMA}, and stays as it is: {type(error).__name__} {error}") from None
    return scores


def load_roster(path: Path) -> dict[str, str]:
    """Classroom 50's own roster.csv, or another table with a column of logins; `student` names results that differ.

    Raises `UsageError`.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"the roster {path} can't be read: {error}") from None
    column = next((name for name in LOGIN_COLUMNS if rows and name in rows[0]), None)
    if column is None:
        raise UsageError(f"the roster {path} has no rows, or no column {' or '.join(LOGIN_COLUMNS)}")
    roster: dict[str, str] = {}
    for number, row in enumerate(rows, start=2):
        login = (row[column] or "").strip()
        for name in (login, (row.get("student") or "").strip()):
            if login and name and roster.setdefault(name.lower(), login).lower() != login.lower():
                raise UsageError(f"the roster {path}, line {number}: {name} stands for two logins")
    return roster
