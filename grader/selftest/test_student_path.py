"""A student's path in a fresh environment: clone, install, red tests, complete Part 1, push, points.

The one test of the project's own that installs packages.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest
import yaml

from grader.cli import main
from grader.paths import SOLUTION
from grader.proving.fakes.student import decoded, read_outputs
from grader.proving.helpers import FILES
from grader.release.build import AUTOGRADED

TOTAL = sum(points for _, points in AUTOGRADED.values())


def python_of(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def steps_of(workflow: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"]
    assert list(jobs) == ["autograding"]
    steps: list[dict[str, Any]] = jobs["autograding"]["steps"]
    return steps


def run_workflow(clone: Path, path: str, out: Path) -> dict[str, Any]:
    """Run the steps of classroom.yml in order: commands as they are, actions by what they do; return the points."""
    out.mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "PATH": path,
        "GITHUB_OUTPUT": str(out / "output"),
        "GITHUB_STEP_SUMMARY": str(out / "summary.md"),
    }
    report: dict[str, Any] = {}
    for step in steps_of(clone / ".github" / "workflows" / "classroom.yml"):
        if "run" in step:
            done = subprocess.run(
                ["bash", "-eo", "pipefail", "-c", step["run"]],
                cwd=clone,
                env=environment,
                capture_output=True,
                text=True,
            )
            assert done.returncode == 0, done.stdout + done.stderr
        elif step["uses"].startswith("classroom-resources/autograding-grading-reporter@"):
            outputs = read_outputs(out / "output")
            for runner in step["with"]["runners"].split(","):
                expression = step["env"][f"{runner.upper()}_RESULTS"]
                name = re.fullmatch(r"\$\{\{ steps\.autograde\.outputs\.(\w+) \}\}", expression)
                assert name is not None and re.fullmatch(r"[a-zA-Z0-9]+", runner)
                report[runner] = decoded(outputs[name[1]])
        else:
            assert step["uses"].split("@")[0] in ("actions/checkout", "actions/setup-python")
    report["summary"] = (out / "summary.md").read_text(encoding="utf-8")
    return report


def total(report: dict[str, Any]) -> tuple[int, int]:
    parts = [value for key, value in report.items() if key != "summary"]
    return sum(t["score"] for part in parts for t in part["tests"]), sum(part["max_score"] for part in parts)


@pytest.mark.skipif(shutil.which("git") is None or shutil.which("bash") is None, reason="needs git and bash")
@pytest.mark.slow
def test_a_students_path_from_clone_to_points(tmp_path: Path) -> None:
    """INSTALLS PACKAGES. Also the commands of the README are run, on the starter and then completed."""
    release = tmp_path / "release"
    assert main(["release", str(release)]) == 0
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Release"]):
        subprocess.run([*git, *command], cwd=release, check=True)
    clone = tmp_path / "clone"
    subprocess.run([*git, "clone", "-q", str(release), str(clone)], check=True)
    environment = tmp_path / "venv"
    venv.create(environment, with_pip=True)
    path = os.pathsep.join([str(python_of(environment).parent), os.environ["PATH"]])
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}

    def run(command: str, folder: Path = clone) -> subprocess.CompletedProcess[str]:
        words = shlex.split(command)
        words[0] = shutil.which(words[0], path=path) or words[0]
        return subprocess.run(words, cwd=folder, env={**plain, "PATH": path}, capture_output=True, text=True)

    # The workflow, before the package itself is installed: as on GitHub.
    assert total(run_workflow(clone, path, tmp_path / "first")) == (0, TOTAL)

    readme = (clone / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    setup, commands = (block.splitlines() for block in blocks)
    assert setup[:2] == ["python3 -m venv .venv", "source .venv/bin/activate"]  # done above
    install, first_tests = setup[2:]
    installed = run(install)
    assert installed.returncode == 0, installed.stderr
    red = run(first_tests)
    assert red.returncode == 1 and f"0.0 / {TOTAL + 4}" in red.stdout, red.stdout  # Part 6 counts, too

    for name in FILES:
        shutil.copy(SOLUTION / name, clone / "starter")
    for command in [first_tests, *commands]:
        done = run(command)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    (clone / "starter" / "kv_allocator.py").write_bytes((release / "starter" / "kv_allocator.py").read_bytes())
    assert run(commands[0]).returncode == 0
    subprocess.run([*git, "commit", "-q", "-a", "-m", "Parts 0 and 1"], cwd=clone, check=True)
    partly = run_workflow(clone, path, tmp_path / "second")
    assert sum(t["score"] for t in partly["part1"]["tests"]) == 15 and total(partly) == (20, TOTAL)
    assert "needs Part 2" in partly["summary"]
