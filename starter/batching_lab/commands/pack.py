"""`python -m batching_lab pack`: the zip to hand in."""

import argparse
import sys
from collections.abc import Container
from pathlib import Path

from batching_lab.commands import common
from batching_lab.errors import SubmissionError
from batching_lab.submission.answers import summary
from batching_lab.submission.files import REQUIRED, submitted_files
from batching_lab.submission.loading import CLASS_FILES, Submission
from batching_lab.submission.zip_files import zip_bytes
from batching_lab.tables import format_table

EPILOG = """\
In it are scheduler.py, kv_allocator.py, answers.toml and the further *.py files beside them. Nothing is packed when
one of the three is missing or can't be loaded. The same files always make the same zip, byte by byte.

exit status: 0 packed; 1 the submission is not fit to be handed in; 2 wrong usage.

example: python -m batching_lab pack --out submission.zip"""


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    parser = common.add_command(commands, "pack", pack, "make the zip to hand in", EPILOG)
    common.add_submission_option(parser)
    parser.add_argument("--out", type=Path, default=Path("submission.zip"), metavar="FILE", help="default: %(default)s")
    parser.add_argument("--force", action="store_true", help="pack also what is missing files or can't be loaded")


def pack(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    submission = common.submission_from(options)
    files, left_out = submitted_files(submission.folder)
    if not files:
        raise common.UsageError(f"--submission: there is nothing to pack in {options.submission}")
    for sentence in left_out:
        print(sentence, file=sys.stderr)
    faults = faults_of(submission, files)
    for fault in faults:
        print(f"{fault}.", file=sys.stderr)
    if faults and not options.force:
        print("Nothing was packed; --force packs it all the same.", file=sys.stderr)
        return common.FAULT
    try:
        options.out.write_bytes(zip_bytes(files))
    except OSError as error:
        raise common.UsageError(f"--out: can't write {options.out}: {error.strerror}") from None
    print(f"{options.out} holds")
    print(format_table(("file", "bytes"), [(name, str(len(content))) for name, content in sorted(files.items())]))
    if not faults:
        print(summary(submission.answers()))
    return common.OK


def faults_of(submission: Submission, names: Container[str]) -> list[str]:
    """One sentence for each required file that is missing or can't be loaded."""
    faults = [f"{name} is missing" for name in REQUIRED if name not in names]
    for class_name, file_name in CLASS_FILES.items():
        if file_name in names:
            try:
                submission.get_class(class_name)
            except SubmissionError as error:
                faults.append(str(error))
    if "answers.toml" in names:
        try:
            submission.answers()
        except SubmissionError as error:
            faults.append(str(error))
    return list(dict.fromkeys(faults))  # a file that can't be imported has two classes missing for one reason
