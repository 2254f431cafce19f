"""The staff's command line."""

import argparse
import os
import sys
from pathlib import Path

from grader.export.command import add_export
from grader.gpu.command import add_gpu
from grader.grade import grade, not_runnable
from grader.manual import load_manual
from grader.release.command import add_propose_update, add_release
from grader.report import html_report, score_table
from grader.result import write_atomically
from grader.rubric import load_rubric
from grader.usage import UsageError
from grader.worker.sandbox import IsolationWish

GRADED, USAGE, GRADER_ERROR = 0, 2, 3


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m grader", description="Grade submissions of the batching lab.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_grade(commands.add_parser("grade", help="grade one submission folder with the hidden tests"))
    add_gpu(commands.add_parser("gpu", help="grade Part 6 on CUDA: right, and how fast"))
    add_export(commands.add_parser("export", help="write results for other systems"))
    add_release(commands.add_parser("release", help="make the student repository"))
    add_propose_update(commands.add_parser("propose-update", help="open a pull request with it in each repository"))
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        return int(options.run(options))
    except UsageError as error:
        return usage_error(str(error))


def add_grade(parser: argparse.ArgumentParser) -> None:
    parser.description = "Grade one submission folder with the hidden tests and print its points."
    parser.epilog = (
        "Exit status: 0 when the submission was graded, whatever its score; 2 for wrong usage; "
        "3 when the grader itself failed (then there is no score). "
        "Example: python -m grader grade solution --json out.json"
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the submission")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page for the student there")
    parser.add_argument("--manual", type=Path, metavar="FILE", help="add points given by hand (report_rubric.toml)")
    parser.add_argument("--parts", metavar="1,2", help="grade these parts only")
    parser.add_argument(
        "--feedback",
        choices=("full", "hint", "none"),
        default="hint",
        help="what the messages tell: the workload too; tick, rule and hint (the default); nothing",
    )
    parser.add_argument(
        "--allow-weak-isolation",
        action="store_true",
        help="grade although the submission's process is not fully isolated; the result says so",
    )
    parser.set_defaults(run=run_grade)


def run_grade(options: argparse.Namespace) -> int:
    part_ids = None
    if options.parts is not None:
        part_ids = options.parts.split(",")
        with_tests = [part.id for part in load_rubric().values() if part.has_hidden_tests]
        for part_id in part_ids:
            if part_id not in with_tests:
                return usage_error(f"--parts: there is no part {part_id!r}; there are {', '.join(with_tests)}")
            if sentence := not_runnable(part_id):
                return usage_error(f"--parts: {sentence}")
    if not options.folder.is_dir():
        return usage_error(f"there is no submission folder {options.folder}")
    for path in (options.json, options.html):
        if path is not None and path.is_dir():
            return usage_error(f"{path} is a folder; wanted is the name of a file")
    try:
        manual = load_manual(options.manual) if options.manual else None
    except ValueError as error:
        return usage_error(str(error))
    processes = min(2, os.cpu_count() or 1) if sys.platform.startswith("linux") else 1
    isolation: IsolationWish = "best" if options.allow_weak_isolation else "required"
    result = grade(options.folder, part_ids, options.feedback, isolation=isolation, processes=processes)
    if manual is not None:
        result.add_part(manual)
    try:
        if options.json:
            write_atomically(options.json, result.to_json() + "\n")
        if options.html:
            write_atomically(options.html, html_report(result))
    except OSError as error:
        return usage_error(f"can't write the result: {error}")
    print(score_table(result))
    return GRADED if result.status == "graded" else GRADER_ERROR


def usage_error(sentence: str) -> int:
    print(f"grader: {sentence}", file=sys.stderr)
    return USAGE
