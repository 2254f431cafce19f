"""What `run_autograder` runs on Gradescope: grade what lies in /autograder/submission, write results/results.json."""

import argparse
import json
import sys
import tempfile
from pathlib import Path, PurePosixPath

from grader.export.gradescope import gradescope_text
from grader.grading.grading_process import run_grader
from grader.grading.locate import HOME, TOP, find_below
from grader.grading.report import GRADER_FAILED
from grader.grading.result import load_result, without_score, write_atomically
from grader.options import UsageError

GRADING_SECONDS = 540  # Gradescope's own limit is ten minutes unless staff change it
USUAL = {TOP, PurePosixPath(HOME)}  # the zip that `pack` makes; a repository


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--allow-weak-isolation", action="store_true")
    options = parser.parse_args()
    text = graded(options.root / "submission", ["--allow-weak-isolation"] if options.allow_weak_isolation else [])
    write_atomically(options.root / "results" / "results.json", text)
    return 0


def graded(uploaded: Path, options: list[str]) -> str:
    """results.json; without a score if anything but the submission went wrong, or no submission is found."""
    try:
        found = find_below(uploaded, USUAL)
        if found.folder is None:
            return gradescope_text(without_score("not_submitted", uploaded.name, found.sentence))
        with tempfile.TemporaryDirectory() as name:
            path, log = Path(name, "result.json"), Path(name, "log")
            command = ["grade", str(uploaded / found.folder), "--json", str(path), *options]
            error = run_grader(command, GRADING_SECONDS, log)
            print(log.read_text(encoding="utf-8", errors="replace"), error, sep="\n")  # for staff, not for students
            result = load_result(path)
        result.notes[:0] = found.notes
        return gradescope_text(result)
    except (OSError, UsageError) as error:
        print(error)
        return json.dumps({"output": GRADER_FAILED, "visibility": "visible", "stdout_visibility": "hidden"}) + "\n"


if __name__ == "__main__":
    sys.exit(main())
