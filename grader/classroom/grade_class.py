"""Grades collected archives one by one: `python -m grader class ARCHIVES --out RESULTS`.

Each submission is graded by a process of its own, so that whatever happens in one is over with it. Every student gets a
result: without a score where something went wrong that is not the submission's fault, or where nothing was handed in.
A former result stays until the new one is whole.
"""

import argparse
import contextlib
from pathlib import Path
from typing import Any

from grader.classroom.collect import read_index
from grader.classroom.printing import complain, print_what_can_be, say
from grader.classroom.unpack import BadArchive, NothingToGrade, unpack
from grader.export.markdown import markdown
from grader.grading.grading_process import INTERRUPTED, interrupted_by_signals, run_grader
from grader.grading.key import grading_key
from grader.grading.origin import about_python, commit_text, time_text
from grader.grading.report import html_report
from grader.grading.result import Result, load_result, without_score, write_atomically
from grader.options import UsageError
from grader.worker.temporary import temporary_folder
from grader.worker.text import clean_text

SECONDS = 900
RESULTS, FEEDBACK = "results", "feedback"
GRADED, SOME_FAILED, USAGE = 0, 1, 2


class NotWritten(Exception):
    """A file of one student can't be written; one sentence."""


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader class`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m grader class",
        description="Grade the archives.",
        epilog="Exit status: 0; 1 when the grader failed on somebody, who then has no new score, or somebody's files "
        "could not be written; 2 for wrong usage; 130 when it was interrupted. Former results stay until the new ones "
        "are whole.",
    )
    parser.add_argument("archives", type=Path, help="what collect has written")
    parser.add_argument("--out", type=Path, required=True, help="results/*.json, feedback/*.html and feedback/*.md")
    parser.add_argument("--feedback", choices=("full", "hint", "none"), default="hint")
    parser.add_argument("--allow-weak-isolation", action="store_true")
    options = parser.parse_args(arguments)
    print_what_can_be()
    try:
        with interrupted_by_signals():
            return grade_class(read_index(options.archives), options)
    except UsageError as error:
        complain(f"class: {error}")
    except OSError as error:
        complain(f"class: can't write {error.filename or options.out}: {error.strerror}")
    return USAGE


def grade_class(index: dict[str, dict[str, Any]], options: argparse.Namespace) -> int:
    """Grade all, one after the other; returns the exit status. No student keeps another from being graded."""
    extra = ["--feedback", options.feedback, *(["--allow-weak-isolation"] if options.allow_weak_isolation else [])]
    status = GRADED
    for sentence in about_python():
        say(sentence)
    for folder in (RESULTS, FEEDBACK):
        (options.out / folder).mkdir(parents=True, exist_ok=True)
    for number, (student, entry) in enumerate(index.items(), start=1):
        try:
            result = new_result(student, options.archives / f"{student}.tar.gz", entry, extra)
            if result.status == "grader_error":
                status = SOME_FAILED
            result, remark = keep(student, result, options.out)
            say(f"{number} of {len(index)}: {student}: {line(result)}")
            if remark:
                complain(f"class: {student}: {remark}")
        except NotWritten as fault:
            status = SOME_FAILED
            complain(f"class: {student}: {fault}")
        except KeyboardInterrupt:
            complain(f"class: interrupted at {student}; from there on nothing was changed")
            return INTERRUPTED
    return status


def line(result: Result) -> str:
    """A result in a few words."""
    if result.score is None:
        return f"{result.status}: {clean_text(result.error, 300)}"
    return f"{result.status}: {result.score:g} of {result.max_score:g}"


def new_result(student: str, archive: Path, entry: dict[str, Any], options: list[str]) -> Result:
    """With the commit that collect found in the archive. What this machine can't do now ends nobody else's grading."""
    try:
        result = graded(student, archive, entry, options)
    except OSError as error:
        result = without_score("grader_error", student, f"This machine could not grade it: {error}.")
    with contextlib.suppress(ValueError):  # an index that somebody wrote by hand
        result.commit = commit_text(entry.get("commit") or "")
        result.commit_time = time_text(entry.get("committed_at") or "")
    return result


def graded(student: str, archive: Path, entry: dict[str, Any], options: list[str]) -> Result:
    """The result of one student: of the archive, or a sentence about why there is none."""
    if entry["error"]:
        return without_score("grader_error", student, f"The repository could not be collected: {entry['error']}")
    if entry.get("empty"):
        return without_score("not_submitted", student, "The repository is empty: nothing was handed in.")
    with temporary_folder() as top:
        folder, path = top / "submission", top / "result.json"
        try:
            notes = unpack(archive, folder)
        except BadArchive as fault:
            return without_score("grader_error", student, f"{fault}")
        except NothingToGrade as fault:
            return without_score("not_submitted", student, f"{fault}")
        error = run_grader(["grade", str(folder), "--json", str(path), *options], SECONDS, top / "log")
        try:
            result = load_result(path)
        except UsageError:
            result = without_score("grader_error", student, error or "The grader wrote no result.")
            result.key = grading_key(folder)
    result.submission = student
    result.notes[:0] = notes
    return result


def keep(student: str, result: Result, out: Path) -> tuple[Result, str]:
    """Write the result and its feedback, unless the grader failed on what has a score already.

    Returns the result that counts, and what is to be said of a former score: no score is lost.
    """
    path = out / RESULTS / f"{student}.json"
    former = former_score(path)
    remark = ""
    if former is not None and result.score is None:
        if result.status == "grader_error" and result.key in ("", former.key):
            return former, f"the former score stays, for there is no new result: {result.error}"
        aside = out / "former" / f"{path.name}.former"  # no *.json, of which an export would take it for a result
        write(aside, path.read_text(encoding="utf-8"))
        remark = f"there is no score any more; the former one, {line(former)}, was put into {aside}"
    write(path, result.to_json() + "\n")
    write(out / FEEDBACK / f"{student}.html", html_report(result))
    write(out / FEEDBACK / f"{student}.md", markdown(result))
    return result, remark


def write(path: Path, text: str) -> None:
    """Raises `NotWritten`."""
    try:
        write_atomically(path, text)
    except OSError as error:  # which may name a temporary file
        raise NotWritten(f"can't write {path}: {error.strerror or error}") from None


def former_score(path: Path) -> Result | None:
    """The result of an earlier run, if it has a score."""
    try:
        former = load_result(path)
    except UsageError:
        return None
    return former if former.score is not None else None
