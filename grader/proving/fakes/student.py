"""A student's copy of the release, and what a push of it shows."""

import base64
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from grader.paths import SOLUTION
from grader.proving.helpers import FILES


def complete(folder: Path) -> None:
    """Put the solution where the student's files are."""
    for name in FILES:
        shutil.copy(SOLUTION / name, folder / "starter")


class Push:
    """One run of autograde.py as the workflow runs it."""

    def __init__(self, folder: Path, out: Path, python: str = sys.executable, **variables: str) -> None:
        out.mkdir()
        environment = {
            **os.environ,
            "GITHUB_OUTPUT": str(out / "output"),
            "GITHUB_STEP_SUMMARY": str(out / "summary.md"),
            "GITHUB_SERVER_URL": "https://example.org",
            "GITHUB_REPOSITORY": "course/student",
            "GITHUB_SHA": "abc123",
            **variables,
        }
        self.done = subprocess.run(
            [python, "-I", ".github/autograde.py"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=150,
        )
        self.outputs = read_outputs(out / "output") if (out / "output").exists() else {}
        self.summary = (out / "summary.md").read_text(encoding="utf-8") if (out / "summary.md").exists() else ""

    @property
    def result(self) -> dict[str, Any]:
        return decoded(self.outputs["result"])

    def points(self, parts: list[str]) -> dict[str, int]:
        return {part: sum(t["score"] for t in decoded(self.outputs[f"part{part}"])["tests"]) for part in parts}


def read_outputs(path: Path) -> dict[str, str]:
    """As GitHub reads the file: of a name that is written twice the later value holds."""
    return dict(line.split("=", 1) for line in path.read_text(encoding="utf-8").splitlines())


def decoded(output: str) -> dict[str, Any]:
    """The JSON of an autograding step, after a look at its form."""
    data: dict[str, Any] = json.loads(base64.b64decode(output))
    assert data["version"] == 1 and data["status"] in ("pass", "fail", "error")
    assert type(data["max_score"]) is int
    for test in data["tests"]:
        assert type(test["score"]) is int and test["status"] in ("pass", "fail", "error")
        assert set(test) == {"name", "status", "score", "message", "test_code", "filename", "line_no", "duration"}
        assert "\n" not in test["message"] and "\n" not in test["name"]
    return data
