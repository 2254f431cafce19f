"""Grades collected archives one by one: `python -m grader.classroom.grade_all ARCHIVES --out RESULTS`.

Each submission is graded by a process of its own, so that whatever happens in one is over with it. Every student gets a
result: without a score where something went wrong that is not the submission's fault.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.classroom.collect import INDEX
from grader.classroom.unpack import BadArchive, unpack
from grader.export.load import load_result
from grader.export.markdown import markdown
from grader.result import Isolation, Result, write_atomically
from grader.usage import UsageError

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 900


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m grader.classroom.grade_all", description="Grade the archives.")
    parser.add_argument("archives", type=Path, help="what collect has written")
    parser.add_argument("--out", type=Path, required=True, help="results/*.json, feedback/*.html and feedback/*.md")
    parser.add_argument("--feedback", choices=("full", "hint", "none"), default="hint")
    parser.add_argument("--allow-weak-isolation", action="store_true")
    options = parser.parse_args(arguments)
    index = json.loads((options.archives / INDEX).read_text(encoding="utf-8"))
    extra = ["--feedback", options.feedback, *(["--allow-weak-isolation"] if options.allow_weak_isolation else [])]
    for number, (student, entry) in enumerate(index.items(), start=1):
        result = grade_one(student, options.archives / f"{student}.tar.gz", entry["error"], options.out, extra)
        write_atomically(options.out / "feedback" / f"{student}.md", markdown(result))
        score = "no score" if result.score is None else f"{result.score:g} of {result.max_score:g}"
        print(f"{number} of {len(index)}: {student}: {score}", flush=True)
    return 0


def grade_one(student: str, archive: Path, error: str, out: Path, options: list[str]) -> Result:
    """The result, also written to OUT/results/STUDENT.json."""
    path = out / "results" / f"{student}.json"
    page = out / "feedback" / f"{student}.html"
    path.unlink(missing_ok=True)
    error = f"The repository could not be collected: {error}" if error else ""
    if not error:
        with tempfile.TemporaryDirectory(prefix="class-") as name:
            folder = Path(name, student)
            try:
                unpack(archive, folder)
                command = [sys.executable, "-P", "-m", "grader", "grade", str(folder), "--json", str(path)]
                error = run([*command, "--html", str(page), *options])
            except BadArchive as fault:
                error = str(fault)
    try:
        return load_result(path)
    except UsageError:
        pass
    isolation = Isolation("development", [])
    result = Result("grader_error", student, "", isolation, None, 0.0, [], [], error=error or "no result was written")
    write_atomically(path, result.to_json() + "\n")
    return result


def run(command: list[str]) -> str:
    """Why there may be no result. The grader's process knows no token, whoever started this one."""
    environment = {name: value for name, value in os.environ.items() if "TOKEN" not in name and "SECRET" not in name}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "starter")])
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"The grader had not ended after {SECONDS} seconds."
    if done.returncode == 0:
        return ""
    return f"The grader ended with {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}"


if __name__ == "__main__":
    sys.exit(main())
