"""Builds the student repository in an empty folder."""

import fnmatch
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable
from pathlib import Path

from batching_lab.submission.zip_files import zip_bytes
from batching_lab.testing.messages import PARTS
from grader.grading.origin import suite_version
from grader.options import UsageError
from grader.paths import ROOT
from grader.sources import lab_files

TEMPLATES = ROOT / "grader" / "release" / "files"

TARGETS = {
    "README.md": "README.md",
    "INTEGRITY.md": "INTEGRITY.md",
    "gitignore": ".gitignore",
    "gitattributes": ".gitattributes",
    "classroom.yml": ".github/workflows/classroom.yml",
    "autograde.py": ".github/autograde.py",
    "devcontainer.json": ".devcontainer/devcontainer.json",
}
# What students, or of INTEGRITY.md staff, edit: an update leaves it alone.
EDITABLE = (
    "starter/scheduler.py",
    "starter/kv_allocator.py",
    "starter/answers.toml",
    "starter/report.md",
    "INTEGRITY.md",
)
# Whoever has deleted it does without: beside Classroom 50's own workflow it would run the same tests again.
MAY_BE_DELETED = (".github/workflows/classroom.yml",)
AUTOGRADED = {part: value for part, value in PARTS.items() if not part.startswith("6")}  # Part 6 needs PyTorch
MANIFEST = ".github/release.json"
SCHEMA = "batching-lab/release/v1"

# Without one of these students could not begin, or a part would have no points to earn.
INDISPENSABLE = ("handout.md", "LICENSE", *(name for name in EDITABLE if name.startswith("starter/")))
RELEASED = ("starter", "tests", "handout.md", "handout.zh.md", "LICENSE")  # as they are
MADE_FROM = ("grader/release/files", "pyproject.toml", "constraints.txt")  # the other files of the release
TEST_INI = "[pytest]\naddopts = -p batching_lab.testing.plugin\ntimeout = 5\n"
SECTIONS = ("build-system", "project", "tool.setuptools", "tool.pytest")  # of pyproject.toml, with all below them
STUDENTS_EXTRAS = ("[project.optional-dependencies]", "model", "smollm2", "tools")
IN_SECTION = re.compile(r"^\[+([^\]]+)\]+")


def release_files(root: Path = ROOT) -> dict[str, bytes]:
    """Path -> content of everything in the student repository, the manifest among it.

    Raises `UsageError` if something that is needed is not there.
    """
    files = {name: (root / name).read_bytes() for name in lab_files(root, RELEASED)}
    check_complete(files)
    for path in [*(TEMPLATES / name for name in TARGETS), root / "pyproject.toml", root / "constraints.txt"]:
        if not path.is_file():
            raise UsageError(f"the release lacks {path}, which it is made from: restore it")
    version = suite_version(files)
    for name, target in TARGETS.items():
        files[target] = (TEMPLATES / name).read_bytes()
    files["README.md"] = files["README.md"].replace(b"{version}", version.encode())
    files["pyproject.toml"] = student_pyproject((root / "pyproject.toml").read_text(encoding="utf-8")).encode()
    pins = (root / "constraints.txt").read_text(encoding="utf-8")
    files[".github/requirements.txt"] = requirements(files["pyproject.toml"].decode(), pins).encode()
    files[".github/lab.zip"] = lab_zip(files, version)
    files[MANIFEST] = manifest(files, version).encode()
    return files


def check_complete(files: Iterable[str]) -> None:
    """Raises `UsageError` if a file of the release is missing."""
    tests = [f"tests/test_part{part}_*.py" for part in AUTOGRADED]
    missing = [name for name in [*INDISPENSABLE, *tests] if not fnmatch.filter(files, name)]
    if missing:
        raise UsageError(f"the release lacks {', '.join(missing)}: is it here, and does git track it?")


def student_pyproject(text: str) -> str:
    """pyproject.toml without what is for the staff: linters, type checks, development tools."""
    kept: list[str] = []
    section = ""
    is_for_staff = False
    for line in text.splitlines():
        if heading := IN_SECTION.match(line):
            section = heading[1]
        if re.match(r"[\w\[\"]", line):  # a table or a key, not the rest of a value
            is_for_staff = not any(section == name or section.startswith(f"{name}.") for name in SECTIONS)
            is_for_staff |= section == "project.optional-dependencies" and line.split(" ")[0] not in STUDENTS_EXTRAS
        if not is_for_staff:
            kept.append(line)
    return "\n".join(kept).strip() + "\n"


def requirements(pyproject: str, constraints: str, extra: str = "") -> str:
    """The package's own dependencies and those of an extra, in the versions that the lab was tested with."""
    project = tomllib.loads(pyproject)["project"]
    needs = [*project["dependencies"], *(project["optional-dependencies"][extra] if extra else [])]
    names = {re.split(r"[^\w-]", need)[0] for need in needs}
    pinned = [line for line in constraints.splitlines() if line.partition("==")[0] in names]
    if len(pinned) != len(names):
        raise ValueError(f"constraints.txt must pin {', '.join(sorted(names))}")
    return "\n".join(pinned) + "\n"


def lab_zip(files: dict[str, bytes], version: str) -> bytes:
    """The public tests, the library and what they are worth: autograding does not depend on a student's copies."""
    content = {"pytest.ini": TEST_INI.encode()}
    for name, data in files.items():
        if name.startswith("tests/") and Path(name).name[len("test_part") :][:1] in AUTOGRADED:
            content[name] = data
        elif name.startswith("starter/batching_lab/") and not name.startswith("starter/batching_lab/model/"):
            content[name.removeprefix("starter/")] = data
    parts = parts_of_the_tests(content, section_anchors(files["handout.md"].decode("utf-8")))
    content["lab.json"] = json.dumps({"version": version, "parts": parts}, indent=1).encode()
    return deterministic_zip(content)


def deterministic_zip(content: dict[str, bytes], executable: tuple[str, ...] = ()) -> bytes:
    """A compressed zip: the same bytes for the same files, where the same zlib compresses."""
    return zip_bytes(content, executable, zipfile.ZIP_DEFLATED)


COLLECT = """
import json, pytest, sys
class Collected:
    def pytest_collection_finish(self, session):
        tests = [(i.nodeid, (i.function.__doc__ or i.name).strip().splitlines()[0]) for i in session.items]
        open(sys.argv[1], "w", encoding="utf-8").write(json.dumps(tests))
status = pytest.main(["-c", "pytest.ini", "-q", "--collect-only", "-p", "pytest_timeout", "-p", "no:cacheprovider",
                      "tests"], plugins=[Collected()])
sys.exit(status)
"""


def parts_of_the_tests(content: dict[str, bytes], anchors: dict[str, str]) -> list[dict[str, object]]:
    """For each part its points and its tests, as pytest collects them."""
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        folder = Path(name)
        for path, data in content.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        (folder / "starter").mkdir()
        (folder / "starter" / "answers.toml").touch()
        environment = {
            **os.environ,
            "PYTHONPATH": name,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        }
        command = [sys.executable, "-c", COLLECT, str(folder / "collected.json")]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8")
        if done.returncode != 0:
            said = " ".join(f"{done.stdout} {done.stderr}".replace(name, "...").split())
            raise UsageError(f"the release lacks public tests that pytest can collect: {said[-800:]}")
        collected = json.loads((folder / "collected.json").read_text(encoding="utf-8"))
    parts = []
    for part, (title, points) in AUTOGRADED.items():
        tests = [{"id": i, "title": t} for i, t in collected if i.startswith(f"tests/test_part{part}_")]
        if not tests:
            raise UsageError(f"the release lacks a test of Part {part}: tests/test_part{part}_*.py holds none")
        if part not in anchors:
            raise UsageError(f'the release lacks the section "## Part {part}" of handout.md')
        parts.append({"part": part, "title": title, "points": points, "section": anchors[part], "tests": tests})
    return parts


def section_anchors(handout: str) -> dict[str, str]:
    """Part -> the anchor that GitHub gives its heading."""
    headings = re.findall(r"^## (Part (\d).*)$", handout, re.MULTILINE)
    return {part: re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading, part in headings}


def manifest(files: dict[str, bytes], version: str) -> str:
    """Which files are the lab's and which are there to be edited, with a hash of each as it was released."""
    hashes = {name: file_hash(content) for name, content in sorted(files.items())}
    data = {
        "schema": SCHEMA,
        "version": version,
        "lab_files": {name: value for name, value in hashes.items() if name not in EDITABLE},
        "editable_files": {name: value for name, value in hashes.items() if name in EDITABLE},
    }
    return json.dumps(data, indent=1) + "\n"


def file_hash(content: bytes) -> str:
    """Line ends don't count: Git may have changed them."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def write_files(files: dict[str, bytes], folder: Path) -> None:
    """Write them all; folders are made."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
