"""`python -m grader grade`: grade one submission, print its points, write its result."""

import argparse
import os
import sys
from pathlib import Path

from batching_lab.submission.files import REQUIRED
from grader.grading.grade import folder_name, grade
from grader.grading.locate import NO_FILES, find_below
from grader.grading.manual import load_manual
from grader.grading.options import grading_options
from grader.grading.origin import commit_text, time_text
from grader.grading.report import html_report, score_table
from grader.grading.result import write_atomically
from grader.grading.rubric import load_rubric
from grader.grading.runnable import not_runnable
from grader.options import USAGE, UsageError, add_grading_options
from grader.worker.copying import THE_FOLDER_IS_A_LINK

GRADED, GRADER_ERROR = 0, 3


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader grade`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m grader grade",
        description="Grade one submission folder with the hidden tests and print its points.",
        epilog="Exit status: 0 when the submission was graded, whatever its score; 2 for wrong usage; "
        "3 when the grader itself failed (then there is no score); 130 when it was interrupted. "
        "Example: python -m grader grade solution --json out.json",
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the submission")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page for the student there")
    parser.add_argument("--manual", type=Path, metavar="FILE", help="add points given by hand (report_rubric.toml)")
    parser.add_argument("--commit", default="", metavar="SHA", help="the commit that DIR is of, for the result")
    parser.add_argument("--commit-time", default="", metavar="TIME", help="and when that was: 2026-11-30T14:03:00Z")
    parser.add_argument("--parts", metavar="1,2", help="grade these parts only")
    add_grading_options(parser)
    return run_grade(parser.parse_args(arguments))


def run_grade(options: argparse.Namespace) -> int:
    """Grade, write the files asked for, print the table; returns the exit status. Raises `UsageError`."""
    part_ids = None
    if options.parts is not None:
        part_ids = options.parts.split(",")
        with_tests = [part.id for part in load_rubric().values() if part.has_hidden_tests]
        for part_id in part_ids:
            if part_id not in with_tests:
                raise UsageError(f"--parts: there is no part {part_id!r}; there are {', '.join(with_tests)}")
            if sentence := not_runnable(part_id):
                raise UsageError(f"--parts: {sentence}")
    if not options.folder.is_dir():
        raise UsageError(f"there is no submission folder {options.folder}")
    for path in (options.json, options.html):
        if path is not None and path.is_dir():
            raise UsageError(f"{path} is a folder; wanted is the name of a file")
    try:
        manual = load_manual(options.manual) if options.manual else None
        commit, commit_time = commit_text(options.commit), time_text(options.commit_time)
    except ValueError as error:
        raise UsageError(str(error)) from None
    folder, notes = submission_folder(options.folder)
    processes = min(2, os.cpu_count() or 1) if sys.platform.startswith("linux") else 1
    result = grade(folder, part_ids, grading_options(options), processes)
    result.notes[:0] = notes
    result.submission = folder_name(options.folder)  # whatever the folder below it is called
    result.commit, result.commit_time = commit, commit_time
    if manual is not None:
        result.add_part(manual)
    faults = []
    try:
        if options.json:
            write_atomically(options.json, result.to_json() + "\n")
        if options.html:
            write_atomically(options.html, html_report(result))
    except OSError as error:
        faults.append(f"can't write the result: {error}")
    try:
        print(score_table(result), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would try once more at its end
        faults.append(f"can't print the result: {error}")
    for sentence in faults:
        print(f"grader: {sentence}", file=sys.stderr)
    if result.status != "graded":
        return GRADER_ERROR
    return USAGE if faults else GRADED


def submission_folder(folder: Path) -> tuple[Path, list[str]]:
    """The folder itself if it holds any of the files, else the one below it that does; and what is to be said of that.

    Raises `UsageError` if more than one does. If none does, it is the folder itself: it is graded, and gets nothing.
    """
    if any(os.path.lexists(folder / name) for name in REQUIRED):
        return folder, []
    found = find_below(folder)
    if found.folder is not None:
        of_link = [THE_FOLDER_IS_A_LINK] if folder.is_symlink() else []
        return folder / found.folder, of_link + found.notes
    if found.places:
        raise UsageError(f"{folder}: {found.sentence} Name the one that you mean.")
    return folder, [found.sentence] if found.sentence != NO_FILES else []
