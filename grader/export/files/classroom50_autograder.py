"""The autograder.py of a Classroom 50 bundle: the public tests, and nothing that students may not see.

Classroom 50 runs it in the student's checkout and reads ./result.json. Exit status: 0 when it ran, whatever the
points; anything else is an infrastructure fault, and never the student's.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import autograde

HERE = Path(__file__).resolve().parent
NEEDED = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")


def main() -> int:
    missing = [name for name in NEEDED if not os.environ.get(name)] + ([] if owner() else ["OWNER or USERNAME"])
    if missing:
        print(f"::error::Classroom 50 has not set {', '.join(missing)}", file=sys.stderr)
        return 1
    checkout = Path.cwd()
    remove(checkout / "result.json")
    try:
        return grade(checkout)
    except (autograde.Fault, OSError) as error:
        print(f"::error::The public tests could not be run: {autograde.one_line(str(error))}", file=sys.stderr)
        return 1


def grade(checkout: Path) -> int:
    parts, version = autograde.read_lab(autograde.LAB_ZIP)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as packages:
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", packages]
        command = [sys.executable, "-I", *install, "-r", str(HERE / "requirements.txt")]
        if subprocess.run(command, cwd=packages, check=False).returncode != 0:
            print("::error::pytest can't be installed", file=sys.stderr)
            return 1
        notes = autograde.grade(parts, checkout / "starter", checkout, [packages])
    write(checkout / "result.json", json.dumps(result(parts), indent=1, ensure_ascii=False) + "\n")
    write(checkout / "release-body.md", autograde.markdown(parts, version, notes))
    return 0


def result(parts: list[autograde.Part]) -> dict[str, object]:
    """Whole points, one test a part; Classroom 50 itself enters `owner`, `assignment_type` and `datetime` anew."""
    commit = os.environ["COMMIT_URL"]
    tests = []
    for part in parts:
        failed = next((test for test in part.tests if not test.passed), None)
        tests.append(
            {
                "test-name": f"Part {part.id}: {part.title}",
                "passed": failed is None,
                "score": part.score,
                "max-score": part.points,
                "message": "" if failed is None else autograde.one_line(autograde.first_sentence(failed)),
            }
        )
    return {
        "schema": "classroom50/result/v1",
        "classroom": os.environ["CLASSROOM"],
        "assignment": os.environ["ASSIGNMENT"],
        "assignment_type": os.environ.get("ASSIGNMENT_TYPE") or "individual",
        "owner": owner(),
        "submission": os.environ["SUBMISSION_TAG"],
        "commit": commit,
        "release": os.environ["RELEASE_URL"],
        "review": os.environ.get("REVIEW_URL") or commit,
        "datetime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(part.score for part in parts),
        "max-score": sum(part.points for part in parts),
        "tests": tests,
    }


def owner() -> str:
    """The login in the repository's name: the collector refuses a result with another."""
    return os.environ.get("OWNER") or os.environ.get("USERNAME") or ""


def write(path: Path, text: str) -> None:
    remove(path)
    path.write_text(text, encoding="utf-8", newline="\n")


def remove(path: Path) -> None:
    """What a student put there is not read as a result, and a link is not written through."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
