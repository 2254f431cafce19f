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
from grader.grading.origin import utc_text
from grader.grading.report import why_no_score
from grader.grading.result import Result, each_key_once
from grader.options import UsageError

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
    """Whose scores.json it is, and who is in it."""

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
    try:
        is_theirs = entry.get("override") is True and same and (not ours or newest(by_hand) > newest(ours))
        record = record_of(result, entry["owner"], classroom, bucket["type"], ours, others)
    except OverflowError:
        return f"the time of a submission of {owner}, or of the grading, is outside the calendar or at its end"
    if is_theirs:
        return f"{owner} has a grade by hand already, which stays; clear it in Classroom 50 first"
    entry["override"] = True
    entry["submissions"] = [record, *others]
    if not same:
        entries.append(entry)
    return ""


def record_of(
    result: Result,
    owner: str,
    classroom: str,
    assignment_type: str,
    ours: list[dict[str, Any]],
    others: list[dict[str, Any]],
) -> dict[str, Any]:
    """As Classroom 50 writes a grade by hand, with a line for each part; the same again for the same result.

    Its time is the grading's, but after all submissions of the student: the newest counts, and a push may be ahead.
    """
    scores = whole_scores([(part.score, part.max_score) for part in result.parts])
    tests = [
        {
            "test-name": f"Part {part.part}: {part.title}",
            "passed": part.score >= part.max_score,
            "score": score,
            "max-score": maximum,
        }
        for part, (score, maximum) in zip(result.parts, scores, strict=True)
    ]
    same = [time for record in ours if record.get("tests") == tests and (time := time_of(record.get("graded_at")))]
    graded_at = time_of(result.graded_at) or max(same, default=datetime.now(UTC))  # older results lack it
    after = [time + timedelta(seconds=1) for record in others if (time := time_of(record.get("datetime")))]
    name = OURS + utc_text(graded_at).replace(":", "-")
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
        "tests": tests,
    }


def newest(records: list[dict[str, Any]]) -> datetime:
    """The time of the newest record; `LONG_AGO` without any."""
    return max((time for record in records if (time := time_of(record.get("datetime")))), default=LONG_AGO)


def time_of(text: object) -> datetime | None:
    """In UTC, also where no zone is named. Raises `OverflowError` for a time that UTC has no year for."""
    try:
        time = datetime.fromisoformat(str(text).strip().upper())
    except ValueError:
        return None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)


def load_scores(path: Path | None, assignment: str) -> dict[str, Any]:
    """What is there already, or an empty one. Raises `UsageError` when it is anything else, rather than replace it.

    assignment  the one that is written; the others may be of any form, they stay
    """
    nothing: dict[str, Any] = {"schema": SCORES_SCHEMA, "assignments": {}}
    if path is None or not path.exists():
        return nothing
    try:
        text = path.read_text(encoding="utf-8-sig")
        scores: Any = json.loads(text, object_pairs_hook=each_key_once) if text.strip() else nothing
        json.dumps(scores, allow_nan=False)
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no {SCORES_SCHEMA}, and stays as it is: {error}") from None
    if type(scores) is not dict or scores.get("schema") != SCORES_SCHEMA:
        raise UsageError(f"{path} is no {SCORES_SCHEMA}, and stays as it is: another schema")
    if scores.get("assignments") is None:
        scores["assignments"] = {}
    if type(scores["assignments"]) is not dict:
        raise UsageError(f"{path} is no {SCORES_SCHEMA}, and stays as it is: its assignments are no object")
    if assignment in scores["assignments"] and (fault := fault_of(scores["assignments"][assignment])):
        raise UsageError(f"{path}, assignment {assignment}: {fault}; the file stays as it is")
    return scores


def fault_of(bucket: Any) -> str:
    """What is not as Classroom 50 writes the grades of an assignment; empty if all is."""
    if type(bucket) is not dict or type(bucket.get("entries")) is not list:
        return "it has no list of entries"
    if bucket.get("type") not in sorted(TYPES):
        return f"its type is none of {', '.join(sorted(TYPES))}"
    for number, entry in enumerate(bucket["entries"], start=1):
        if type(entry) is not dict:
            return f"entry {number} is no object"
        records = entry.get("submissions")
        if type(records) is not list or not all(type(record) is dict for record in records):
            return f"the entry of the owner {entry.get('owner')!r} has no list of submissions, each an object"
    return ""


def load_roster(path: Path) -> dict[str, str]:
    """Classroom 50's own roster.csv, or another table with a column of logins; `student` names results that differ.

    Raises `UsageError`.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"the roster {path} can't be read: {error}") from None
    column = next((name for name in LOGIN_COLUMNS if rows and name in rows[0][1]), None)
    if column is None:
        raise UsageError(f"the roster {path} has no rows, or no column {' or '.join(LOGIN_COLUMNS)}")
    roster: dict[str, str] = {}
    for number, row in rows:
        login = (row[column] or "").strip()
        if login and not LOGIN.fullmatch(login):
            raise UsageError(f"the roster {path}, line {number}: {login!r} is no login")
        for name in (login, (row.get("student") or "").strip()):
            if login and name and roster.setdefault(name.lower(), login).lower() != login.lower():
                raise UsageError(f"the roster {path}, line {number}: {name} stands for two logins")
    return roster
