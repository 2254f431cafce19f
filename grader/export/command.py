"""`python -m grader export`."""

import argparse
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from grader.export.actions import actions_output
from grader.export.bundles import GRADING, classroom50_bundle, gradescope_bundle
from grader.export.classroom50 import Submission, classroom50_text
from grader.export.csv_table import csv_table
from grader.export.gradescope import gradescope_text
from grader.export.junit import junit_xml
from grader.export.load import load_results, merge_gpu
from grader.release.build import MADE_FROM, RELEASED, ROOT, write_files
from grader.release.sources import sentences
from grader.result import Result, write_atomically
from grader.usage import UsageError

FORMATS = ("csv", "gradescope", "classroom50", "actions", "junit")
BUNDLES = ("gradescope", "classroom50")
EXPORTED, NO_SCORE = 0, 3


def add_export(parser: argparse.ArgumentParser) -> None:
    parser.description = "Write results for other systems, or the bundle with which a platform grades by itself."
    parser.epilog = (
        "csv and junit hold all results in one file; of the others each result is a file of its own, in the folder "
        "--out when RESULTS is a folder. Exit status: 0; 2 for wrong usage; 3 when a result without a score could not "
        "be written, because its format knows no such thing. "
        "Example: python -m grader export results --format csv --out class.csv"
    )
    parser.add_argument("results", type=Path, nargs="?", metavar="RESULTS|FILE", help="a result, or a folder of them")
    parser.add_argument("--format", choices=FORMATS)
    parser.add_argument("--gpu", type=Path, metavar="RESULTS|FILE", help="add the GPU stage's points to the results")
    parser.add_argument("--out", type=Path, metavar="PATH", help="default, where there is one file: standard output")
    parser.add_argument("--classroom", metavar="NAME", help="for classroom50")
    parser.add_argument("--assignment", metavar="SLUG", help="for classroom50")
    parser.add_argument("--bundle", choices=BUNDLES, help="instead of results: what is uploaded to the platform")
    parser.add_argument(
        "--allow-weak-isolation",
        action="store_true",
        help="for the gradescope bundle: grade also where submissions can't be fully isolated",
    )
    parser.set_defaults(run=run_export)


def run_export(options: argparse.Namespace) -> int:
    try:
        if options.bundle:
            return write_bundle(options)
        if options.results is None or options.format is None:
            raise UsageError("export needs RESULTS and --format, or --bundle and --out")
        results = load_results(options.results)
        for sentence in merge_gpu(results, load_results(options.gpu)) if options.gpu else []:
            print(f"grader: {sentence}", file=sys.stderr)
        if options.format in ("csv", "junit"):
            write = csv_table if options.format == "csv" else junit_xml
            return write_text(options.out, write(results))
        return write_each(options, results, one_format(options))
    except OSError as error:
        raise UsageError(f"can't write {options.out}: {error.strerror}") from None


def one_format(options: argparse.Namespace) -> Callable[[str, Result], str]:
    """The function that writes one result."""
    if options.format == "gradescope":
        return lambda student, result: gradescope_text(result)
    if options.format == "actions":
        return lambda student, result: actions_output(result)
    if not options.classroom or not options.assignment:
        raise UsageError("--format classroom50 needs --classroom and --assignment")
    now = datetime.now(UTC)
    tag = now.strftime("submit/manual-%Y-%m-%dT%H-%M-%SZ")  # the form of Classroom 50's own results by hand
    when = now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def write(student: str, result: Result) -> str:
        about = Submission(options.classroom, options.assignment, student, tag, tag, tag, when)
        return classroom50_text(result, about)

    return write


def write_each(options: argparse.Namespace, results: dict[str, Result], write: Callable[[str, Result], str]) -> int:
    """One file a result. One that can't be written in this format does not keep the others from it."""
    is_folder = options.results.is_dir()
    if is_folder and options.out is None:
        raise UsageError(f"--format {options.format} needs --out: it writes a file for each result")
    status = EXPORTED
    for student, result in results.items():
        try:
            text = write(student, result)
        except UsageError as error:
            print(f"grader: {error}", file=sys.stderr)
            status = NO_SCORE
            continue
        write_text(options.out / f"{student}.json" if is_folder else options.out, text)
    return status


def write_text(path: Path | None, text: str) -> int:
    if path is not None:
        write_atomically(path, text)
    else:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
    return EXPORTED


def write_bundle(options: argparse.Namespace) -> int:
    out: Path | None = options.out
    if out is None or options.results is not None or options.format is not None:
        raise UsageError("--bundle needs --out, and neither RESULTS nor --format")
    is_public = options.bundle == "classroom50"
    for sentence in sentences(ROOT, RELEASED, MADE_FROM) if is_public else sentences(ROOT, GRADING):
        print(f"grader: {sentence}", file=sys.stderr)
    if is_public:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise UsageError(f"{out} is not an empty folder")
        write_files(classroom50_bundle(), out)
        print(f"{out} holds the bundle: put its files into CLASSROOM/autograders/ASSIGNMENT/.")
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(gradescope_bundle(options.allow_weak_isolation))
        print(f"{out} is the autograder to upload. It holds the hidden tests.")
    return EXPORTED
