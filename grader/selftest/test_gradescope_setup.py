"""Which Python Gradescope's set-up takes: setup.sh with programs of our own, so nothing is installed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from batching_lab.submission.python_version import GRADING_PYTHON, version_text
from grader.paths import ROOT

SCRIPT = ROOT / "grader" / "export" / "files" / "setup.sh"
PYTHON = """#!/bin/sh
if [ "$1" = -c ]; then
    exec "{python}" -c "import sys
sys.version_info = ({version}, 0)
sys.modules.update(ensurepip={ensurepip})
$2"
fi
echo "{name} $*" >> "{log}"
for folder in "$@"; do :; done
case "$folder" in ./autograder/*) mkdir -p "$folder/bin" && cp "{bin}/true" "$folder/bin/pip" ;; esac
"""
APT_GET = """#!/bin/sh
echo "apt-get $*" >> "{log}"
for package in "$@"; do
    if [ -d "{packages}/$package" ]; then cp "{packages}/$package"/* "{bin}"; fi
done
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")


@pytest.mark.parametrize(
    ("there", "packages", "taken"),
    [
        ("python3 3.12", "", "python3"),
        ("python3 3.14", "", "python3"),
        ("python3.14 3.14", "", "python3.14"),
        ("python3 3.13, python3.12 3.12, python3.14 3.14", "", "python3.12"),
        ("python3 3.10, python3.13 3.13", "", "python3.13"),
        ("python3 3.10", "python3.11 python3.11 3.11", "python3.11"),
        ("python3 3.13-", "python3-venv python3 3.13", "python3"),
        ("python3 3.14-", "python3-venv python3 3.14", "python3"),
        ("python3 3.10-", "python3-venv python3 3.10, python3.11 python3.11 3.11", "python3.11"),
        ("python3 3.10, python3.12 3.12-", "python3.11 python3.11 3.11", "python3.11"),
        ("", "python3-venv python3 3.14", "python3"),
        ("python3 3.9", "", ""),
    ],
)
def test_it_takes_a_python_that_can_grade(there: str, packages: str, taken: str, tmp_path: Path) -> None:
    """A version with a minus has no ensurepip; a package is its name and the Python that comes with it."""
    bin, log = tmp_path / "bin", tmp_path / "log"
    bin.mkdir()
    for program in ("true", "mkdir", "cp"):
        (bin / program).symlink_to(shutil.which(program) or "")

    def write_python(folder: Path, name: str, version: str) -> None:
        about = {"version": version.strip("-").replace(".", ", "), "ensurepip": None if "-" in version else "sys"}
        write_program(
            folder / name,
            PYTHON.format(name=name, python=sys.executable, log=log, bin=bin, **about),
        )

    for line in filter(None, there.split(", ")):
        write_python(bin, *line.split())
    for line in filter(None, packages.split(", ")):
        package, *about = line.split()
        write_python(tmp_path / "packages" / package, *about)
    write_program(bin / "apt-get", APT_GET.format(log=log, packages=tmp_path / "packages", bin=bin))
    write_program(
        tmp_path / "setup.sh",
        SCRIPT.read_text(encoding="utf-8").replace("/autograder", "./autograder"),
    )
    bash = shutil.which("bash") or "bash"
    done = subprocess.run([bash, "setup.sh"], cwd=tmp_path, env={"PATH": str(bin)}, capture_output=True, text=True)
    lines = log.read_text(encoding="utf-8").splitlines()
    if taken:
        assert done.returncode == 0 and lines[-1].startswith(f"{taken} -m venv "), f"{lines}\n{done.stderr}"
        assert ("apt-get update" in lines) == bool(packages)
    else:
        assert done.returncode != 0 and not any("-m venv" in line for line in lines)


def test_it_prefers_the_python_that_students_are_told() -> None:
    assert f"for python in python{version_text(GRADING_PYTHON)} python3 " in SCRIPT.read_text(encoding="utf-8")


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text, encoding="utf-8", newline="\n")
    path.chmod(0o755)
