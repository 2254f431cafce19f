"""`python -m grader release`: what is in it, what must not be, how it is renewed, what a push shows."""

import base64
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from batching_lab.testing.report import PARTS
from grader.cli import main
from grader.release.build import MANIFEST, release_files, suite_version, write_files
from grader.release.leaks import find_leaks
from grader.selftest.helpers import FILES, ROOT, SOLUTION

TOTAL = sum(points for _, points in PARTS.values())


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return release_files()


@pytest.fixture
def release(files: dict[str, bytes], tmp_path: Path) -> Path:
    folder = tmp_path / "student"
    write_files(files, folder)
    return folder


def complete(folder: Path) -> None:
    """Put the solution, without its markers, where the student's files are."""
    for name in FILES:
        shutil.copy(SOLUTION / name, folder / "starter")


# What is in it


def test_the_command_releases_into_an_empty_folder_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    assert main(["release", str(folder)]) == 0
    for name in ("handout.md", "README.md", "INTEGRITY.md", ".github/workflows/classroom.yml", ".gitignore", MANIFEST):
        assert (folder / name).is_file(), name
    assert not list(folder.rglob("__pycache__")) and not (folder / "Makefile").exists()
    capsys.readouterr()
    assert main(["release", str(folder)]) == 2
    assert capsys.readouterr().err == (
        f"grader: {folder} is not an empty folder; --update renews a former release\n"
    )


def test_both_handouts_are_released_when_there_are_two(files: dict[str, bytes]) -> None:
    assert ("handout.zh.md" in files) == (ROOT / "handout.zh.md").exists()


def test_the_same_source_makes_the_same_release(files: dict[str, bytes]) -> None:
    assert release_files() == files


def test_the_version_is_that_of_the_tests(files: dict[str, bytes]) -> None:
    version = json.loads(files[MANIFEST])["version"]
    assert f"Release {version}." in files["README.md"].decode()
    assert suite_version(files) == version
    assert suite_version({**files, "handout.md": b"another"}) == version
    assert suite_version({**files, "tests/test_part1_batching.py": b"another"}) != version


def test_names_fit_every_system(files: dict[str, bytes]) -> None:
    assert len({name.casefold() for name in files}) == len(files)
    reserved = {"con", "prn", "aux", "nul"}
    for name in files:
        assert not set(name) & set('\\:*?"<>|') and len(name) < 120
        assert not reserved & {part.partition(".")[0].casefold() for part in name.split("/")}


def test_the_students_pyproject_is_not_for_staff(files: dict[str, bytes]) -> None:
    text = files["pyproject.toml"].decode()
    assert "[tool.pytest.ini_options]" in text and "tools = " in text and "model = " in text
    for word in ("ruff", "mypy", "grader", "dev ="):
        assert word not in text


def test_texts_name_files_that_are_there(files: dict[str, bytes]) -> None:
    for text in ("README.md", "INTEGRITY.md"):
        for name in re.findall(r"`([\w./-]+\.(?:md|py|toml)|[\w./-]+/)`", files[text].decode()):
            assert any(file == name or file.startswith(name) for file in files), f"{text}: {name}"


# What must not be in it


def test_nothing_leaks(release: Path) -> None:
    assert find_leaks(release) == []


def solution_lines(name: str, first: str, count: int) -> str:
    lines = (SOLUTION / name).read_text(encoding="utf-8").splitlines()
    at = next(n for n, line in enumerate(lines) if first in line)
    return "\n".join(lines[at : at + count])


def plant_body(folder: Path) -> str:
    """The body of a method, indented anew and under other names around it, in the middle of the library."""
    body = solution_lines("scheduler.py", "request_id = next(reversed(self.running))", 5).replace("    ", "\t")
    path = folder / "starter" / "batching_lab" / "loop.py"
    path.write_text(path.read_text(encoding="utf-8") + f"\n\ndef helper(self):\n{body}\n", encoding="utf-8")
    return "starter/batching_lab/loop.py"


def plant_json(folder: Path) -> str:
    """Code in a string of a notebook."""
    source = (SOLUTION / "kv_allocator.py").read_text(encoding="utf-8")
    (folder / "notes.ipynb").write_text(json.dumps({"cells": [{"source": source.splitlines(True)}]}), encoding="utf-8")
    return "notes.ipynb"


def plant_name(folder: Path) -> str:
    path = folder / "README.md"
    path.write_text(path.read_text(encoding="utf-8") + "\nSee token_budget_filled_exactly.\n", encoding="utf-8")
    return "README.md"


def plant_hint(folder: Path) -> str:
    path = folder / "tests" / "test_part1_batching.py"
    hint = "# What does your static batch do when fewer requests are waiting\n# than there are slots? Nobody else may ever come."
    path.write_text(path.read_text(encoding="utf-8") + f"\n{hint}\n", encoding="utf-8")
    return "tests/test_part1_batching.py"


def plant_answer(folder: Path) -> str:
    path = folder / "starter" / "answers.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('blocks_at_the_end = "?"', "blocks_at_the_end = 4"), encoding="utf-8")
    return "starter/answers.toml"


def plant_answers(folder: Path) -> str:
    (folder / "starter" / "key.txt").write_text("7, 6, 6, 0, 29, 4, 4, 5, 4, 14", encoding="utf-8")
    return "starter/key.txt"


def plant_table(folder: Path) -> str:
    table = "| tick | ran |\n|---|---|\n| 1 | A:4 B:2 |\n| 2 | A B C |\n| 3 | A B C |\n"
    path = folder / "handout.md"
    path.write_text(path.read_text(encoding="utf-8") + table, encoding="utf-8")
    return "handout.md"


def plant_expected(folder: Path) -> str:
    """The grader's second implementation of the rules, in a zip."""
    with zipfile.ZipFile(folder / "starter" / "extra.zip", "w") as archive:
        archive.write(ROOT / "grader" / "expected.py", "notes/rules.txt")
    return "starter/extra.zip!/notes/rules.txt"


def plant_wrong(folder: Path) -> str:
    """A planted fault of the grader's tests."""
    shutil.copy(ROOT / "grader" / "wrong" / "part1_queue_is_a_stack.py", folder / "tests" / "helper.py")
    return "tests/helper.py"


def plant_marker(folder: Path) -> str:
    path = folder / "starter" / "kv_allocator.py"
    path.write_text(path.read_text(encoding="utf-8") + "    # BEGIN  SOLUTION\n", encoding="utf-8")
    return "starter/kv_allocator.py"


def plant_history(folder: Path) -> str:
    (folder / ".git").mkdir()
    return ".git"


def plant_bytecode(folder: Path) -> str:
    (folder / "starter" / "__pycache__").mkdir()
    (folder / "starter" / "__pycache__" / "scheduler.cpython-311.pyc").write_bytes(b"\x00")
    return "starter/__pycache__/scheduler.cpython-311.pyc"


def plant_folder(folder: Path) -> str:
    (folder / "docs" / "solution").mkdir(parents=True)
    (folder / "docs" / "solution" / "readme").touch()
    return "docs/solution"


def plant_case(folder: Path) -> str:
    (folder / "readme.MD").touch()
    return "readme.MD" if len(list(folder.glob("[Rr][Ee][Aa][Dd]*"))) == 2 else "a case-blind file system"


PLANTED = [value for name, value in globals().items() if name.startswith("plant_")]


def test_each_planted_leak_is_found(release: Path, tmp_path: Path) -> None:
    for number, plant in enumerate(PLANTED):
        folder = tmp_path / str(number)
        shutil.copytree(release, folder)
        where = plant(folder)
        found = find_leaks(folder)
        assert where == "a case-blind file system" or where in {leak.path for leak in found}, f"{plant.__name__}: {found}"
        assert {leak.path.partition("!")[0] for leak in found} <= {where.partition("!")[0], "README.md", "starter/__pycache__"}
        shutil.rmtree(folder)


def test_five_leaks_at_once_are_all_found(release: Path) -> None:
    places = {plant(release) for plant in (plant_body, plant_name, plant_answer, plant_table, plant_history)}
    assert places == {leak.path for leak in find_leaks(release)}


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege")
def test_a_link_is_found(release: Path) -> None:
    (release / "starter" / "more").symlink_to(SOLUTION)
    assert [(leak.path, leak.kind) for leak in find_leaks(release)] == [("starter/more", "link")]


def test_a_leaking_release_is_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], files: dict[str, bytes]
) -> None:
    leaking = {**files, "starter/key.txt": b"static_d_finish: 7"}
    monkeypatch.setattr("grader.release.command.release_files", lambda: leaking)
    assert main(["release", str(tmp_path / "out")]) == 3
    assert not (tmp_path / "out").exists()
    assert "starter/key.txt: answer: static_d_finish" in capsys.readouterr().out


# Renewing


def test_update_changes_the_labs_files_only(
    release: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = {"starter/scheduler.py": "mine", "starter/helper.py": "mine too", "notes.txt": "of mine"}
    for name, text in mine.items():
        (release / name).write_text(text, encoding="utf-8")
    (release / "starter" / "answers.toml").unlink()
    (release / "tests" / "test_part2_allocator.py").write_text("changed by me", encoding="utf-8")
    new = {**files, "handout.md": b"new text", "tests/new.py": b"", "starter/scheduler.py": b"new skeleton"}
    del new["tests/test_part5_preemption.py"]
    monkeypatch.setattr("grader.release.command.release_files", lambda: new)
    assert main(["release", str(release), "--update"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "added tests/new.py",
        "renewed handout.md",
        "overwritten tests/test_part2_allocator.py: it was not as it had been released",
        "removed tests/test_part5_preemption.py",
        "kept starter/scheduler.py: the release's own version has changed, the student's stays",
    ]
    for name, text in mine.items():
        assert (release / name).read_text(encoding="utf-8") == text
    assert not (release / "starter" / "answers.toml").exists()
    for name, content in new.items():
        if not name.startswith("starter/") or "batching_lab" in name:
            assert (release / name).read_bytes() == content, name
    monkeypatch.undo()
    assert main(["release", str(release), "--update"]) == 0
    assert (release / "tests" / "test_part5_preemption.py").exists() and not (release / "tests" / "new.py").exists()
    capsys.readouterr()
    assert main(["release", str(release), "--update"]) == 0
    assert capsys.readouterr().out == "nothing has changed\n"


def test_line_ends_are_no_change(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = release / "tests" / "test_part1_batching.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert main(["release", str(release), "--update"]) == 0
    assert capsys.readouterr().out == "nothing has changed\n"


@pytest.mark.parametrize("name", ["../outside.txt", "/etc/outside", "starter/../../outside.txt", ".git/config", "a\\b", ""])
def test_a_forged_manifest_removes_nothing(release: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    outside = release.parent / "outside.txt"
    outside.write_text("precious", encoding="utf-8")
    manifest = json.loads((release / MANIFEST).read_text(encoding="utf-8"))
    manifest["lab_files"][name] = "0"
    (release / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    assert main(["release", str(release), "--update"]) == 2
    assert "which is no file of a release" in capsys.readouterr().err
    assert outside.read_text(encoding="utf-8") == "precious"


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs a privilege")
@pytest.mark.parametrize("name", ["tests", "tests/test_part1_batching.py", "starter"])
def test_update_does_not_write_through_links(release: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    moved = release.parent / "elsewhere"
    (release / name).rename(moved)
    (release / name).symlink_to(moved)
    assert main(["release", str(release), "--update"]) == 2
    assert "is a link" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", "{", '{"schema": "other", "version": "1", "lab_files": {}, "student_files": {}}'])
def test_update_needs_a_former_release(release: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (release / MANIFEST).write_text(text, encoding="utf-8")
    assert main(["release", str(release), "--update"]) == 2
    assert "can't be read as the manifest of a release" in capsys.readouterr().err
    (release / MANIFEST).unlink()
    assert main(["release", str(release), "--update"]) == 2
    assert "is no former release" in capsys.readouterr().err


# What a push shows


class Push:
    """One run of autograde.py as the workflow runs it."""

    def __init__(self, folder: Path, out: Path) -> None:
        out.mkdir()
        environment = {
            **os.environ,
            "GITHUB_OUTPUT": str(out / "output"),
            "GITHUB_STEP_SUMMARY": str(out / "summary.md"),
            "GITHUB_SERVER_URL": "https://example.org",
            "GITHUB_REPOSITORY": "course/student",
            "GITHUB_SHA": "abc123",
        }
        self.done = subprocess.run(
            [sys.executable, "-I", ".github/autograde.py"],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=150,
        )
        self.outputs = read_outputs(out / "output")
        self.summary = (out / "summary.md").read_text(encoding="utf-8") if (out / "summary.md").exists() else ""

    @property
    def result(self) -> dict[str, Any]:
        return decoded(self.outputs["result"])

    def points(self) -> dict[str, int]:
        return {part: sum(t["score"] for t in decoded(self.outputs[f"part{part}"])["tests"]) for part in PARTS}


def read_outputs(path: Path) -> dict[str, str]:
    """As GitHub reads the file: of a name that is written twice the later value holds."""
    return dict(line.split("=", 1) for line in path.read_text(encoding="utf-8").splitlines())


def decoded(output: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(base64.b64decode(output))
    assert data["version"] == 1 and data["status"] in ("pass", "fail", "error")
    assert type(data["max_score"]) is int
    for test in data["tests"]:
        assert type(test["score"]) is int and test["status"] in ("pass", "fail", "error")
        assert set(test) == {"name", "status", "score", "message", "test_code", "filename", "line_no", "duration"}
        assert "\n" not in test["message"] and "\n" not in test["name"]
    return data


def test_push_of_the_starter(release: Path, tmp_path: Path) -> None:
    push = Push(release, tmp_path / "out")
    assert push.done.returncode == 0, push.done.stderr
    assert push.result["max_score"] == TOTAL and push.result["status"] == "fail"
    assert sum(push.points().values()) == 0
    assert push.summary.startswith(f"# 0 of {TOTAL} points\n")
    place = "https://example.org/course/student/blob/abc123/handout.md#part-2-the-kv-block-allocator-15-points"
    assert f"[handout]({place})" in push.summary
    assert "Not done yet: scheduler.py, line 31, in" in push.summary
    assert "needs Part 2: BlockAllocator is not done yet" in push.summary


def test_links_of_the_summary_are_headings(files: dict[str, bytes], release: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(release / ".github" / "lab.zip") as archive:
        parts = json.loads(archive.read("lab.json"))["parts"]
    headings = re.findall(r"^#+ (.*)$", files["handout.md"].decode("utf-8"), re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert {part["section"] for part in parts} <= anchors
    assert {part["part"]: part["points"] for part in parts} == {part: points for part, (_, points) in PARTS.items()}
    assert all(part["tests"] for part in parts)


def test_push_of_a_complete_copy(release: Path, tmp_path: Path) -> None:
    complete(release)
    push = Push(release, tmp_path / "out")
    assert push.points() == {part: points for part, (_, points) in PARTS.items()}
    assert push.result["status"] == "pass" and sum(t["score"] for t in push.result["tests"]) == TOTAL
    assert push.summary.startswith(f"# {TOTAL} of {TOTAL} points\n") and "<details>" not in push.summary


def test_partial_credit_and_the_first_failing_tick(release: Path, tmp_path: Path) -> None:
    complete(release)
    path = release / "starter" / "scheduler.py"
    text = path.read_text(encoding="utf-8")
    old = "while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:"
    assert text.count(old) == 1
    path.write_text(text.replace(old, old.replace("while", "if") + "\n            pass\n        while False:"), "utf-8")
    path.write_text(text.replace(old, old.replace("while self.waiting", "while self.waiting and not self.running")), "utf-8")
    push = Push(release, tmp_path / "out")
    points = push.points()
    assert points["0"] == 5 and points["2"] == 15 and 0 < points["1"] < 15
    assert re.search(r"^\| 1 \|.*\| Tick \d+: .*did not run, but should have", push.summary, re.MULTILINE)
    assert "Run it again: python -m batching_lab run --policy continuous" in push.summary
    assert "--submission" not in push.summary
    failed = [test for test in decoded(push.outputs["part1"])["tests"] if test["status"] == "fail"]
    assert failed and all(test["score"] == 0 for test in failed)


SPOILERS: dict[str, tuple[dict[str, str], set[str]]] = {
    # what is planted (all else is complete) -> the parts that earn less than all
    "a syntax error": ({"starter/scheduler.py": "def f(:\n"}, {"1", "3", "4", "5"}),
    "an exit at import": ({"starter/kv_allocator.py": "import os\nos._exit(0)\n"}, {"2", "3", "4", "5"}),
    "a crash": ({"starter/scheduler.py": "import ctypes\nctypes.string_at(0)\n"}, {"1", "3", "4", "5"}),
    "an import": ({"starter/scheduler.py": "import numpy\n"}, {"1", "3", "4", "5"}),
    "no UTF-8": ({"starter/answers.toml": "\udcff"}, {"0"}),
}
HARMLESS: dict[str, dict[str, str]] = {
    "conftest": {
        "conftest.py": "raise SystemExit\n",
        "tests/conftest.py": "import os\nos._exit(0)\n",
        "starter/conftest.py": "import os\nos._exit(0)\n",
    },
    "settings": {
        "pytest.ini": "[pytest]\naddopts = --collect-only\n",
        "tox.ini": "[pytest]\naddopts = -k nothing\n",
        "starter/pytest.ini": "[pytest]\naddopts = -x\n",
        "setup.cfg": "[tool:pytest]\naddopts = -x\n",
        "pyproject.toml": "not toml [",
    },
    "other modules": {
        "starter/sitecustomize.py": "import os\nos._exit(0)\n",
        "starter/usercustomize.py": "import os\nos._exit(0)\n",
        "starter/pytest.py": "raise SystemExit\n",
        "sitecustomize.py": "import os\nos._exit(0)\n",
        "json.py": "raise SystemExit\n",
        "pytest.py": "raise SystemExit\n",
        "starter/evil.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
        "starter/evil.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
        "starter/evil.py": "import os\nos._exit(0)\n",
    },
    "the tests themselves": {
        "tests/test_part1_batching.py": "def f(:\n",
        "starter/batching_lab/harness.py": "import os\nos._exit(0)\n",
    },
}


def put(folder: Path, planted: dict[str, str]) -> None:
    for name, text in planted.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))


@pytest.mark.parametrize("kind", SPOILERS)
def test_a_spoiled_file_costs_its_parts_only(kind: str, release: Path, tmp_path: Path) -> None:
    complete(release)
    planted, spoiled = SPOILERS[kind]
    put(release, planted)
    push = Push(release, tmp_path / "out")
    assert push.done.returncode == 0 and push.result["max_score"] == TOTAL
    assert push.points() == {part: 0 if part in spoiled else points for part, (_, points) in PARTS.items()}


@pytest.mark.parametrize("solved", [False, True], ids=["starter", "complete"])
def test_planted_files_change_no_points(solved: bool, release: Path, tmp_path: Path) -> None:
    for planted in HARMLESS.values():
        put(release, planted)
    if solved:
        complete(release)
    push = Push(release, tmp_path / "out")
    assert push.points() == {part: points if solved else 0 for part, (_, points) in PARTS.items()}
    assert "conftest.py was not taken: it is no part of a submission." in push.summary.replace("\\_", "_")
    assert "tests/test_part1_batching.py is not as it was released" in push.summary.replace("\\_", "_")


# A few of the ways to get points for nothing that work on plain pytest. Whoever is determined finds another.
FORGED = {
    "printed": "print('12 passed')\n",
    "exit": "import atexit, os\natexit.register(os._exit, 0)\nraise SystemExit(0)\n",
    "lines": """
import json, os
for test in ("test_seed_static", "test_seed_continuous"):
    line = json.dumps({"token": "", "id": f"tests/test_part1_batching.py::{test}", "outcome": "passed", "text": ""})
    for descriptor in range(1, 20):
        try:
            os.write(descriptor, line.encode() + b"\\n")
        except OSError:
            pass
""",
    "output": """
import os
for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
    with open(os.environ.get(name, "forged"), "a") as file:
        file.write("result=forged\\npart1=forged\\n")
""",
}


def test_forged_results_earn_nothing(release: Path, tmp_path: Path) -> None:
    starter = (release / "starter" / "scheduler.py").read_text(encoding="utf-8")
    for kind, text in FORGED.items():
        (release / "starter" / "scheduler.py").write_text(text + starter, encoding="utf-8")
        push = Push(release, tmp_path / kind)
        assert push.result["max_score"] == TOTAL and sum(push.points().values()) == 0, kind


def test_an_endless_loop_costs_its_test_only(release: Path, tmp_path: Path) -> None:
    """One that even catches the exception that is to end it: the process ends, the other tests still run."""
    complete(release)
    path = release / "starter" / "kv_allocator.py"
    text = path.read_text(encoding="utf-8")
    old = "        self.free_blocks.extend(self.block_tables.pop(request_id))\n"
    loop = "        if len(self.block_tables) == 1 and self.num_blocks == 7:\n            while True:\n                try:\n                    while True:\n                        pass\n                except BaseException:\n                    pass\n"
    assert text.count(old) == 1
    first = next(re.finditer(r"num_blocks=(\d+)", (ROOT / "tests" / "test_part2_allocator.py").read_text("utf-8")))
    path.write_text(text.replace(old, loop.replace("7", first[1]) + old), encoding="utf-8")
    push = Push(release, tmp_path / "out")
    points = push.points()
    assert points["0"] == 5 and points["1"] == 15
    assert 0 < points["2"] < 15
    assert "The process ended in this test" in push.summary


def test_text_of_the_student_stays_text(release: Path, tmp_path: Path) -> None:
    complete(release)
    nasty = "x | y <img src=x> `code` ``` [link](http://evil)\\n# 90 of 90 points\\n```\\n# more\\n::error::oops"
    path = release / "starter" / "kv_allocator.py"
    path.write_text(f'raise ValueError("""{nasty}""")\n', encoding="utf-8")
    push = Push(release, tmp_path / "out")
    lines = push.summary.splitlines()
    assert [line for line in lines if line.startswith("# ")] == [lines[0]] or "```" in nasty
    assert "<img" not in push.summary.split("<details>")[0]
    rows = [line for line in lines if line.startswith("| 2 |")]
    assert len(rows) == 1 and len(re.findall(r"(?<!\\)\|", rows[0])) == 7
    assert not [line for line in push.done.stdout.splitlines() if line.startswith("::")]


# The whole path, in a fresh environment: the one test that installs


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
                ["bash", "-eo", "pipefail", "-c", step["run"]], cwd=clone, env=environment, capture_output=True, text=True
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
def test_a_students_path_from_clone_to_points(release: Path, tmp_path: Path) -> None:
    """INSTALLS PACKAGES: clone, install, red tests, Part 1, green tests, push, points. Also the README's commands."""
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
    assert red.returncode == 1 and f"0.0 / {TOTAL}" in red.stdout, red.stdout

    text = (SOLUTION / "scheduler.py").read_text(encoding="utf-8")
    (clone / "starter" / "scheduler.py").write_text(text, encoding="utf-8")
    assert run(commands[0]).returncode == 0
    subprocess.run([*git, "commit", "-q", "-a", "-m", "Part 1"], cwd=clone, check=True)
    partly = run_workflow(clone, path, tmp_path / "second")
    assert sum(t["score"] for t in partly["part1"]["tests"]) == 15 and total(partly) == (15, TOTAL)

    complete(clone)
    for command in [first_tests, *commands]:
        done = run(command)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    assert total(run_workflow(clone, path, tmp_path / "third")) == (TOTAL, TOTAL)
