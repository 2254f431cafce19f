"""`python -m grader export`: results in the forms of other systems, and what is uploaded to them."""

import argparse
import os
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

from grader.export.actions import actions_output
from grader.export.bundles import GRADING, classroom50_bundle, gradescope_bundle
from grader.export.classroom50 import SLUG, Classroom, enter_grades, load_roster, load_scores
from grader.export.csv_table import csv_table
from grader.export.gradescope import gradescope_text
from grader.export.junit import junit_xml
from grader.export.load import Loaded, alike, load_results
from grader.gpu.merge import merge_gpu
from grader.grading.manual import manual_files, merge_manual
from grader.grading.result import SCHEMA, Result, write_atomically
from grader.grading.runnable import MODEL_PART
from grader.options import UsageError, add_weak_isolation
from grader.paths import ROOT
from grader.release.build import MADE_FROM, RELEASED, write_files
from grader.sources import sentences
from grader.worker.text import clean_text

ALL_IN_ONE: dict[str, Callable[[dict[str, Result]], str]] = {"csv": csv_table, "junit": junit_xml}
ONE_EACH: dict[str, Callable[[Result], str]] = {"gradescope": gradescope_text, "actions": actions_output}
FORMATS = ("csv", "gradescope", "classroom50", "actions", "junit")
BUNDLES = ("gradescope", "classroom50")
EXPORTED, LEFT_OUT, NO_SCORE = 0, 1, 3
MAX_NAMES = 20


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader export`; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m grader export")
    parser.description = "Write results for other systems, or the bundle with which a platform grades by itself."
    parser.epilog = (
        "csv and junit hold all results in one file, classroom50 enters them into the classroom's scores.json; of the "
        "others each result is a file of its own, in the folder --out when RESULTS is a folder. Exit status: 0; 1 when "
        "a result was not read, entered or written, which standard error names; 2 for wrong usage; 3 when a result "
        "without a score was not entered, because the format knows no such thing. "
        "Example: python -m grader export results --format csv --out class.csv"
    )
    parser.add_argument("results", type=Path, nargs="?", metavar="RESULTS|FILE", help="a result, or a folder of them")
    parser.add_argument("--format", choices=FORMATS)
    parser.add_argument("--gpu", type=Path, metavar="RESULTS|FILE", help="add the GPU stage's points to the results")
    parser.add_argument(
        "--manual", type=Path, metavar="FOLDER|FILE", help="add points given by hand: NAME.toml for each student"
    )
    parser.add_argument(
        "--out", type=Path, metavar="PATH", help="default, where there is one file: standard output; see classroom50"
    )
    parser.add_argument("--classroom", metavar="NAME", help="for classroom50; --out is its scores.json, or its folder")
    parser.add_argument("--assignment", metavar="SLUG", help="for classroom50")
    parser.add_argument(
        "--roster", type=Path, metavar="CSV", help="for classroom50: the students' logins, where names do not tell them"
    )
    parser.add_argument("--bundle", choices=BUNDLES, help="instead of results: what is uploaded to the platform")
    add_weak_isolation(parser, "for the gradescope bundle: grade also where submissions can't be fully isolated")
    return run_export(parser.parse_args(arguments))


def run_export(options: argparse.Namespace) -> int:
    """Load, merge, write; returns the exit status. Raises `UsageError`."""
    try:
        if options.bundle:
            return write_bundle(options)
        require_usable(options)
        loaded = load_results(options.results)
        of_gpu = load_results(options.gpu) if options.gpu else Loaded()
        tell(loaded, of_gpu)
        for place, some in ((options.results, loaded), (options.gpu, of_gpu)):
            if place and not some.results:
                raise UsageError(f"{place} holds no result of the grader (a *.json file with the schema {SCHEMA})")
        if options.gpu:
            warn(*merge_gpu(loaded.results, of_gpu.results))
        if options.manual:
            warn(*merge_manual(loaded.results, options.manual))
        warn(*alike(loaded.results), *not_run_everywhere(loaded.results))
        require_no_input_overwritten(options, loaded, of_gpu)
        status = write(options, loaded.results)
        return LEFT_OUT if loaded.left_out or of_gpu.left_out else status
    except OSError as error:
        raise UsageError(f"can't write {options.out or 'standard output'}: {error.strerror}") from None


def require_usable(options: argparse.Namespace) -> None:
    """Before anything is read. Raises `UsageError`."""
    if options.results is None or options.format is None:
        raise UsageError("export needs RESULTS and --format, or --bundle and --out")
    if options.format in ONE_EACH and options.results.is_dir() and options.out is None:
        raise UsageError(f"--format {options.format} needs --out: it writes a file for each result")
    if options.format == "classroom50":
        if not options.classroom or not options.assignment:
            raise UsageError("--format classroom50 needs --classroom and --assignment")
        if not SLUG.fullmatch(options.assignment):
            raise UsageError(f"--assignment: {options.assignment!r} is none of small letters, digits and hyphens")


def require_no_input_overwritten(options: argparse.Namespace, loaded: Loaded, of_gpu: Loaded) -> None:
    """Before anything is written. Raises `UsageError`. What is no scores.json, `load_scores` refuses to replace."""
    if options.out is None or options.format == "classroom50":
        return
    is_each = options.format in ONE_EACH and options.results.is_dir()
    for place in (options.results, options.gpu):
        if is_each and place and place.is_dir() and which_file(options.out) == which_file(place):
            raise UsageError(f"--out: {options.out} is the folder of the results that are read; give another folder")
    by_hand = manual_files(options.manual, list(loaded.results)).values() if options.manual else []
    inputs = {which_file(path) for path in (*loaded.files, *of_gpu.files, *by_hand)}
    for path in targets(options, loaded.results) if is_each else [options.out]:
        if which_file(path) in inputs:
            raise UsageError(f"--out: {path} is read by this export and would be overwritten; give another place")


def which_file(path: Path) -> object:
    """The same for each way to name it: through a link, or in other capital letters where these don't count."""
    try:
        about = path.stat()
    except OSError:
        return path.absolute()
    return about.st_dev, about.st_ino


def targets(options: argparse.Namespace, students: Iterable[str]) -> list[Path]:
    """Where each student's file goes."""
    return [options.out / f"{student}.json" for student in students]


def tell(*both: Loaded) -> None:
    """What was left out, each, and what lay there besides, once."""
    for loaded in both:
        warn(*loaded.left_out)
    if skipped := [sentence for loaded in both for sentence in loaded.skipped]:
        more = f" and {len(skipped) - MAX_NAMES} more" if len(skipped) > MAX_NAMES else ""
        warn(f"skipped: {', '.join(skipped[:MAX_NAMES])}{more}")


def not_run_everywhere(results: dict[str, Result]) -> list[str]:
    """Once, what would else stand in every row."""
    without = [result for result in results.values() if result.status == "graded" and MODEL_PART in result.not_run]
    sentence = f"Part {MODEL_PART} was not run for {len(without)} of {len(results)}; it is not in their maximum, either"
    reasons = dict.fromkeys(reason for result in without for reason in result.about_machine)
    return [sentence, *reasons] if without else []


def warn(*sentences: str) -> None:
    """Print sentences for whoever exports."""
    for sentence in sentences:
        print(f"grader: {clean_text(sentence, 2000)}", file=sys.stderr)


def write(options: argparse.Namespace, results: dict[str, Result]) -> int:
    """Write the results in the format that was asked for; returns the exit status."""
    if options.format in ALL_IN_ONE:
        return write_text(options.out, ALL_IN_ONE[options.format](results))
    if options.format == "classroom50":
        return write_scores(options, results)
    if options.results.is_dir():
        return write_each(options, results)
    (result,) = results.values()
    return write_text(options.out, ONE_EACH[options.format](result))


def write_each(options: argparse.Namespace, results: dict[str, Result]) -> int:
    """A file for each student. One that can't be written does not keep the others from theirs."""
    options.out.mkdir(parents=True, exist_ok=True)
    status = EXPORTED
    for path, (student, result) in zip(targets(options, results), results.items(), strict=True):
        try:
            write_text(path, ONE_EACH[options.format](result))
        except OSError as error:
            warn(f"{student}: can't write {path}: {error.strerror}")
            status = LEFT_OUT
    return status


def write_scores(options: argparse.Namespace, results: dict[str, Result]) -> int:
    """Enter the grades into scores.json. One that can't be entered does not keep the others from it."""
    path = options.out / "scores.json" if options.out and options.out.is_dir() else options.out
    roster = load_roster(options.roster) if options.roster else None
    entered = enter_grades(
        results, load_scores(path, options.assignment), Classroom(options.classroom, options.assignment, roster)
    )
    warn(*entered.not_entered, *entered.without_score)
    if entered.num_entries:
        write_text(path, entered.text)
    if entered.not_entered:
        return LEFT_OUT
    return NO_SCORE if entered.without_score else EXPORTED


def write_text(path: Path | None, text: str) -> int:
    """Write to the file, or print; returns the exit status. Raises `OSError`."""
    if path is not None:
        write_atomically(path, text)
    else:
        try:
            sys.stdout.buffer.write(text.encode())
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python would try once more at its end
            raise
    return EXPORTED


def write_bundle(options: argparse.Namespace) -> int:
    """Write what is uploaded; returns the exit status. Raises `UsageError`."""
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
        if out.is_file() and out.stat().st_size and not zipfile.is_zipfile(out):
            raise UsageError(f"{out} is no zip, so it is not overwritten; give another place")
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(gradescope_bundle(options.allow_weak_isolation))
        print(f"{out} is the autograder to upload. It holds the hidden tests.")
    return EXPORTED
