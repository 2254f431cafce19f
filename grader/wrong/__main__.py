"""`python -m grader.wrong [NAME ...]`: a Markdown table of the planted faults and what their students are told."""

import sys

from grader.wrong import all_faults, load_fault, told


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main(names: list[str]) -> None:
    print("| fault | the student thought | part | caught by | message |\n|---|---|---|---|---|")
    for fault, message in told([load_fault(name) for name in names] if names else all_faults()):
        words = (fault.name, fault.thought, fault.part, ", ".join(fault.caught_by), message or "not caught")
        print(f"| {' | '.join(map(cell, words))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
