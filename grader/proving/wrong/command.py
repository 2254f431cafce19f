"""`python -m grader wrong [NAME ...]`: a Markdown table of the planted faults and what their students are told."""

import argparse

from grader.proving.markdown_table import markdown_row
from grader.proving.wrong import all_faults, load_fault, told


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader wrong`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m grader wrong", description="Print what the student of each planted fault is told."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a fault; default: all")
    names = parser.parse_args(arguments).names
    print("| fault | the student thought | part | caught by | message |\n|---|---|---|---|---|")
    for fault, message in told([load_fault(name) for name in names] if names else all_faults()):
        words = (fault.name, fault.thought, fault.part, ", ".join(fault.caught_by), message or "not caught")
        print(markdown_row(words), flush=True)
    return 0
