"""Makes the student's files from the solution: `python -m grader starter`.

What stands between `# BEGIN SOLUTION` and `# END SOLUTION` is cut. In its place comes
`raise NotImplementedError` inside a function, nothing outside of one, and `name = "?"` for each answer
in a TOML file.
"""

import argparse
import re

from grader.paths import ROOT

FILES = ("scheduler.py", "kv_allocator.py", "answers.toml")
BEGIN, END = "# BEGIN SOLUTION", "# END SOLUTION"


def cut_solution(text: str, is_toml: bool) -> str:
    """The starter's text. Raises `ValueError` for markers that don't pair up."""
    kept: list[str] = []
    block: list[str] | None = None
    indent = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip() == BEGIN:
            if block is not None:
                raise ValueError(f"line {number}: {BEGIN} inside a solution")
            block, indent = [], line[: len(line) - len(line.lstrip())]
        elif line.strip() == END:
            if block is None:
                raise ValueError(f"line {number}: {END} without {BEGIN}")
            kept += placeholder(block, indent, is_toml)
            block = None
        elif block is not None:
            block.append(line)
        else:
            kept.append(line)
    if block is not None:
        raise ValueError(f"{BEGIN} without {END}")
    return "\n".join(kept) + "\n"


def placeholder(block: list[str], indent: str, is_toml: bool) -> list[str]:
    """What stands in the starter in place of a cut block: lines of the file."""
    if is_toml:
        return [re.sub(r"=.*", '= "?"', line) for line in block if "=" in line]
    return [f"{indent}raise NotImplementedError"] if indent else []


def starter_text(name: str) -> str:
    """The starter's file of this name, made from the solution's."""
    text = (ROOT / "solution" / name).read_text(encoding="utf-8")
    return cut_solution(text, is_toml=name.endswith(".toml"))


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader starter`; returns the exit status."""
    argparse.ArgumentParser(
        prog="python -m grader starter", description="Make the student's files from the solution."
    ).parse_args(arguments)
    for name in FILES:
        (ROOT / "starter" / name).write_text(starter_text(name), encoding="utf-8", newline="\n")
        print(f"starter/{name}")
    return 0
