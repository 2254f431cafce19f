"""`python -m batching_lab check-answers`: is every question of Part 0 answered with a whole number?"""

import argparse
import sys

from batching_lab.commands import common
from batching_lab.errors import SubmissionError
from batching_lab.submission.answers import form_faults, summary

EPILOG = """\
Only the form is looked at: nothing here knows which number is right.

exit status: 0 every question is answered with a whole number; 1 something is left to do; 2 wrong usage.

example: python -m batching_lab check-answers"""


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    what = "look whether every question in answers.toml is answered with a whole number"
    parser = common.add_command(commands, "check-answers", check_answers, what, EPILOG)
    common.add_submission_option(parser)


def check_answers(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    try:
        answers = common.submission_from(options).answers()
    except SubmissionError as error:
        print(f"{error}.", file=sys.stderr)
        return common.FAULT
    faults = form_faults(answers)
    print(summary(answers))
    if faults:
        print("Still to do:")
    for fault in faults:
        print(f"  {fault}")
    return common.FAULT if faults else common.OK
