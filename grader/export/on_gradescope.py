"""What `run_autograder` runs on Gradescope: grade /autograder/submission, write results/results.json."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.export.gradescope import gradescope_text
from grader.export.load import load_result
from grader.report import GRADER_FAILED
from grader.result import write_atomically
from grader.usage import UsageError

GRADING_SECONDS = 540  # Gradescope's own limit is ten minutes unless staff change it


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=Path)
    parser.add_argument("--allow-weak-isolation", action="store_true")
    options = parser.parse_args()
    submission = options.root / "submission"
    if not (submission / "scheduler.py").exists() and (submission / "starter").is_dir():
        submission /= "starter"  # a whole repository was handed in, not the zip that `pack` makes
    text = graded(submission, ["--allow-weak-isolation"] if options.allow_weak_isolation else [])
    write_atomically(options.root / "results" / "results.json", text)
    return 0


def graded(submission: Path, options: list[str]) -> str:
    """results.json; without a score if anything but the submission went wrong."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "result.json")
        command = [sys.executable, "-P", "-m", "grader", "grade", str(submission), "--json", str(path), *options]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=GRADING_SECONDS
            )
            print(done.stdout, done.stderr, sep="\n")  # for staff: students don't see it
            return gradescope_text(load_result(path))
        except (OSError, subprocess.TimeoutExpired, UsageError) as error:
            print(error)
            return json.dumps({"output": GRADER_FAILED, "visibility": "visible", "stdout_visibility": "hidden"}) + "\n"


if __name__ == "__main__":
    sys.exit(main())
