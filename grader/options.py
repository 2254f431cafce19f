"""What the staff's commands share: wrong usage, and the options that several have."""

import argparse

USAGE = 2  # the exit status


class UsageError(Exception):
    """One sentence for whoever typed the command."""


def add_grading_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--feedback",
        choices=("full", "hint", "none"),
        default="hint",
        help="what the messages tell: the workload too; tick, rule and hint (the default); nothing",
    )
    add_weak_isolation(parser, "grade although the submission's process is not fully isolated; the result says so")


def add_weak_isolation(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--allow-weak-isolation", action="store_true", help=what)
