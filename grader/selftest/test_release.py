"""`python -m grader release`: what is in it, what must not be, how it is renewed, what a push shows."""

import ast
import contextlib
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from grader.cli import main
from grader.export.bundles import grading_files
from grader.grading.origin import suite_version
from grader.options import UsageError
from grader.paths import HIDDEN_TESTS, ROOT, SOLUTION, WRONG
from grader.release.build import (
    AUTOGRADED,
    EDITABLE,
    MADE_FROM,
    MANIFEST,
    RELEASED,
    manifest,
    release_files,
    write_files,
)
from grader.release.leaks import find_leaks, kinds_of_text
from grader.sources import has_a_name_of_the_lab, lab_files, sentences


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return release_files()


@pytest.fixture
def release(files: dict[str, bytes], tmp_path: Path) -> Path:
    folder = tmp_path / "student"
    write_files(files, folder)
    return folder


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
    assert capsys.readouterr().err == (f"grader: {folder} is not an empty folder; --update renews a former release\n")


def test_both_handouts_are_released_when_there_are_two(files: dict[str, bytes]) -> None:
    assert ("handout.zh.md" in files) == (ROOT / "handout.zh.md").exists()


def test_type_checkers_are_told_that_the_library_has_types(files: dict[str, bytes]) -> None:
    """Also in a student repository, and where the package is built."""
    assert files["starter/batching_lab/py.typed"] == b""
    for text in (files["pyproject.toml"].decode(), (ROOT / "pyproject.toml").read_text(encoding="utf-8")):
        assert "py.typed" in tomllib.loads(text)["tool"]["setuptools"]["package-data"]["batching_lab"]


def test_the_whole_library_is_released(files: dict[str, bytes]) -> None:
    library = lab_files(ROOT, ["starter/batching_lab"])
    assert [name for name in sorted(files) if name.startswith("starter/batching_lab/")] == sorted(library)


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


def test_the_license_has_the_form_that_setuptools_keeps(files: dict[str, bytes]) -> None:
    """From 18 February 2027 on it builds no package with `license = { text = ... }`."""
    data = tomllib.loads(files["pyproject.toml"].decode())
    assert data["project"]["license"] == "MIT" and data["build-system"]["requires"] == ["setuptools>=77"]
    assert all(name in files for name in data["project"]["license-files"])


def test_texts_name_files_that_are_there(files: dict[str, bytes]) -> None:
    for text in ("README.md", "INTEGRITY.md"):
        for name in re.findall(r"`([\w./-]+\.(?:md|py|toml)|[\w./-]+/)`", files[text].decode()):
            assert any(file == name or file.startswith(name) for file in files), f"{text}: {name}"


# Where it is taken from

NEEDS_GIT = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
JUNK = {
    "starter/notes.txt": "the answers: see mail",
    "starter/.DS_Store": "",
    "starter/scheduler (copy).py": "",
    "starter/scheduler.py.orig": "",
    "starter/batching_lab/._loop.py": "",
    "starter/batching_lab/loop.py~": "",
    "starter/batching_lab/model/micro/.DS_Store": "",
    "starter/__pycache__/scheduler.cpython-311.pyc": "",
    "starter/batching_lab.egg-info/top_level.txt": "",
    "tests/.pytest_cache/README.md": "",
    "tests/results.json": "{}",
    "tests/conftest.py": "",
}
WITHOUT_TRACES = [name for name in JUNK if "__pycache__" not in name]


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """A copy of what a release is made of, without git."""
    root = tmp_path / "lab"
    places = [*RELEASED, *MADE_FROM]
    write_files({name: (ROOT / name).read_bytes() for name in lab_files(ROOT, places)}, root)
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, root)
    return root


def plant(root: Path) -> None:
    write_files({name: text.encode() for name, text in JUNK.items()}, root)


def git(root: Path, *arguments: str) -> None:
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments]
    subprocess.run(command, cwd=root, check=True, capture_output=True)


@NEEDS_GIT
def test_only_what_git_tracks_is_released(lab: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    """What else lies there is named; of a hook's variables, which name another repository, nothing is taken."""
    git(lab, "init", "-q")
    git(lab, "add", "-A")
    plant(lab)
    monkeypatch.setenv("GIT_DIR", str(lab.parent / "absent"))
    assert release_files(lab) == files
    told = sentences(lab, RELEASED, MADE_FROM)
    assert set(told) == {f"left out, since git does not track it: {name}" for name in JUNK}


@NEEDS_GIT
def test_a_tracked_file_is_taken_as_it_is_here_which_is_said(lab: Path) -> None:
    """Committed and then changed, also a template of the release; and one that is only staged."""
    git(lab, "init", "-q")
    git(lab, "add", "-A")
    git(lab, "commit", "-q", "-m", "Lab")
    assert sentences(lab, RELEASED, MADE_FROM) == []
    changed = (
        "handout.md",
        "starter/batching_lab/workloads/pool.py",
        "tests/test_part7_new.py",
        "grader/release/files/README.md",
    )
    for name in changed:
        with (lab / name).open("a", encoding="utf-8") as file:
            file.write("\n# new\n")
    git(lab, "add", "tests")
    released = release_files(lab)
    assert all(released[name] == (lab / name).read_bytes() for name in changed[:3])
    told = sentences(lab, RELEASED, MADE_FROM)
    assert set(told) == {f"taken as it is here, not as it was committed: {name}" for name in changed}


@NEEDS_GIT
def test_a_tracked_file_that_is_not_there(lab: Path) -> None:
    git(lab, "init", "-q")
    git(lab, "add", "-A")
    (lab / "tests" / "test_part1_batching.py").unlink()
    with pytest.raises(UsageError, match=r"git tracks tests/test_part1_batching.py, but there is no such file in "):
        release_files(lab)


@pytest.mark.parametrize("where", ["an archive", "without git", "in another repository"])
def test_where_git_does_not_say_the_names_decide(
    where: str, lab: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(lab)
    if where == "without git":
        (lab / ".git").mkdir()
        monkeypatch.setenv("PATH", str(lab / "bin"))
    elif where == "in another repository":
        if shutil.which("git") is None:
            pytest.skip("needs git")
        git(lab.parent, "init", "-q")
    assert release_files(lab) == files
    first, *others = sentences(lab, RELEASED, MADE_FROM)
    reason = r"git does not say what belongs to the lab \(.+\), so the files' names decide"
    taken = lab_files(lab, RELEASED)
    assert re.fullmatch(rf"{reason}: {len(taken)} files are taken by name", first)
    assert set(others) == {f"left out, since no file of the lab has such a name: {name}" for name in WITHOUT_TRACES}


def spoil_index(git_folder: Path) -> None:
    (git_folder / "index").write_bytes(b"no index")


def spoil_config(git_folder: Path) -> None:
    (git_folder / "config").write_text("[", encoding="utf-8")


def make_newer(git_folder: Path) -> None:
    (git_folder / "config").write_text("[core]\nrepositoryformatversion = 99\n", encoding="utf-8")


def take_head_away(git_folder: Path) -> None:
    (git_folder / "HEAD").unlink()


def leave_a_pointer(git_folder: Path) -> None:
    shutil.rmtree(git_folder)
    git_folder.write_text("gitdir: /absent", encoding="utf-8")


def give_away(git_folder: Path) -> None:
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can give files away")
    for path in (git_folder.parent, git_folder):
        os.chown(path, 65534, 65534)


@NEEDS_GIT
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (spoil_index, "index file"),
        (spoil_config, "config"),
        (make_newer, "99"),
        (take_head_away, "not a git repository"),
        (leave_a_pointer, "not a git repository"),
        (give_away, "safe.directory"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_where_git_refuses_nothing_is_released(
    spoil: Callable[[Path], None], said: str, lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There the names would take a file of the staff's that git does not track."""
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    git(lab, "init", "-q")
    git(lab, "add", "-A")
    (lab / "tests" / "test_part1_of_the_staff.py").touch()
    spoil(lab / ".git")
    for asked in (release_files, lambda root: sentences(root, RELEASED, MADE_FROM)):
        with pytest.raises(UsageError, match=f"git does not say which files of .* it tracks.*{said}"):
            asked(lab)


@pytest.mark.parametrize(
    ("name", "lacks"),
    [
        ("handout.md", "handout.md"),
        ("LICENSE", "LICENSE"),
        *((name, name) for name in EDITABLE if name.startswith("starter/")),
        *((f"tests/test_part{part}_*.py", f"tests/test_part{part}_*.py") for part in AUTOGRADED),
        ("pyproject.toml", "pyproject.toml"),
        ("constraints.txt", "constraints.txt"),
        ("starter/batching_lab/testing/plugin.py", "public tests that pytest can collect"),
    ],
)
def test_a_release_that_lacks_something_is_not_made(name: str, lacks: str, lab: Path) -> None:
    """It ended with a traceback, or students got it and earned nothing."""
    for path in lab.glob(name):
        path.unlink()
    with pytest.raises(UsageError, match=f"the release lacks .*{re.escape(lacks)}"):
        release_files(lab)


@pytest.mark.parametrize(
    ("name", "text", "lacks"),
    [
        ("tests/test_part3_budgets.py", "", "the release lacks a test of Part 3"),
        ("tests/test_part3_budgets.py", "def f(:\n", "the release lacks public tests that pytest can collect"),
        ("handout.md", "# Parts\n", 'the release lacks the section "## Part 0" of handout.md'),
    ],
)
def test_a_release_with_an_empty_file_is_not_made(name: str, text: str, lacks: str, lab: Path) -> None:
    (lab / name).write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=lacks):
        release_files(lab)


def test_a_release_without_one_of_its_templates_is_not_made(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    templates = lab / "grader" / "release" / "files"
    monkeypatch.setattr("grader.release.build.TEMPLATES", templates)
    (templates / "gitignore").unlink()
    with pytest.raises(UsageError, match=r"the release lacks .*gitignore"):
        release_files(lab)


def test_the_names_are_those_of_the_files_that_are_released() -> None:
    """A new file with another kind of name must be added to NAMES in grader/sources.py."""
    names = [*lab_files(ROOT, RELEASED), *grading_files()]
    assert [name for name in names if not has_a_name_of_the_lab(name)] == []


@NEEDS_GIT
def test_the_bundle_for_grading_takes_what_git_tracks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "lab"
    kept = {"grader/cli.py", "grader/hidden/test_part1_x.py", "starter/batching_lab/loop.py"}
    write_files(dict.fromkeys([*kept, "grader/selftest/test_x.py"], b""), root)
    git(root, "init", "-q")
    git(root, "add", "-A")
    write_files(dict.fromkeys(["grader/class.csv", "grader/graded/ada.json", "grader/scratch.py"], b""), root)
    monkeypatch.setattr("grader.export.bundles.ROOT", root)
    assert set(grading_files()) == kept


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
    hint = "# What does your static batch do when fewer requests are waiting\n# than there are slots? "
    hint += "Nobody else may ever come."
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
        archive.write(HIDDEN_TESTS / "oracle.py", "notes/rules.txt")
    return "starter/extra.zip!/notes/rules.txt"


def plant_wrong(folder: Path) -> str:
    """A planted fault of the grader's tests."""
    shutil.copy(WRONG / "part1_queue_is_a_stack.py", folder / "tests" / "helper.py")
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


CASE_BLIND = "a file system that has no such two names"


def plant_case(folder: Path) -> str:
    (folder / "readme.MD").touch()
    return "readme.MD" if len(list(folder.glob("[Rr][Ee][Aa][Dd]*"))) == 2 else CASE_BLIND


PLANTED = [value for name, value in globals().items() if name.startswith("plant_")]


def test_each_planted_leak_is_found(release: Path, tmp_path: Path) -> None:
    for number, plant in enumerate(PLANTED):
        folder = tmp_path / str(number)
        shutil.copytree(release, folder)
        where = plant(folder)
        found = find_leaks(folder)
        assert where == "a case-blind file system" or where in {leak.path for leak in found}, (
            f"{plant.__name__}: {found}"
        )
        assert {leak.path.partition("!")[0] for leak in found} <= {
            where.partition("!")[0],
            "README.md",
            "starter/__pycache__",
        }
        shutil.rmtree(folder)


def functions_of(path: Path) -> list[tuple[str, list[str]]]:
    """Name -> its lines, the first one too."""
    lines = path.read_text(encoding="utf-8").splitlines()
    tree = ast.parse("\n".join(lines))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [(node.name, lines[node.lineno - 1 : node.end_lineno]) for node in functions]


def test_every_method_of_the_solution_is_found_by_its_body() -> None:
    """Without its name and docstring, as a comment."""
    for name in ("scheduler.py", "kv_allocator.py"):
        given = {line.strip() for line in (ROOT / "starter" / name).read_text(encoding="utf-8").splitlines()}
        for function, lines in functions_of(SOLUTION / name):
            body = [line.strip() for line in lines if line.strip() not in given]
            body = [line for line in body if not line.startswith(("#", "def ", '"""'))]
            assert kinds_of_text("\n".join(f"# {line}" for line in body)), f"{function} in {name}"


def test_every_hidden_test_is_found() -> None:
    for path in sorted((ROOT / "grader" / "hidden").glob("*.py")):
        for function, lines in functions_of(path):
            if function.startswith("test_"):
                assert kinds_of_text("\n".join(lines)), f"{function} in {path.name}"


@pytest.mark.parametrize("form", ["{} = {}", '"{}": {},', "| `{}` | {} |", "{}: **{}**", "{}={}"])
def test_every_answer_is_found(form: str) -> None:
    answers = tomllib.loads((SOLUTION / "answers.toml").read_text(encoding="utf-8"))
    for question, answer in answers.items():
        assert kinds_of_text(form.format(question, answer)) == [("answer", question)]
        assert kinds_of_text(form.format(question, f"{answer}1")) == []


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
    mine = {
        "starter/scheduler.py": "mine",
        "INTEGRITY.md": "our rules",
        "starter/helper.py": "mine too",
        "notes.txt": "of mine",
    }
    for name, text in mine.items():
        (release / name).write_text(text, encoding="utf-8")
    (release / "starter" / "answers.toml").unlink()
    (release / "tests" / "test_part2_allocator.py").write_text("changed by me", encoding="utf-8")
    new = {**files, "handout.md": b"new text", "tests/new.py": b"", "starter/scheduler.py": b"new skeleton"}
    del new["tests/test_part5_preemption.py"], new[MANIFEST]
    new[MANIFEST] = manifest(new, "2").encode()
    monkeypatch.setattr("grader.release.command.release_files", lambda: new)
    assert main(["release", str(release), "--update"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"release {json.loads(files[MANIFEST])['version']} -> 2",
        "added tests/new.py",
        "renewed handout.md",
        "renewed .github/release.json",
        "overwritten tests/test_part2_allocator.py: it was not as it had been released",
        "removed tests/test_part5_preemption.py",
        "kept starter/scheduler.py: the release's own version has changed, the one here stays",
    ]
    for name, text in mine.items():
        assert (release / name).read_text(encoding="utf-8") == text
    assert not (release / "starter" / "answers.toml").exists()
    for name, content in new.items():
        if name not in EDITABLE:
            assert (release / name).read_bytes() == content, name
    monkeypatch.setattr("grader.release.command.release_files", lambda: files)
    assert main(["release", str(release), "--update"]) == 0
    assert (release / "tests" / "test_part5_preemption.py").exists() and not (release / "tests" / "new.py").exists()
    capsys.readouterr()
    assert main(["release", str(release), "--update"]) == 0
    assert capsys.readouterr().out == f"nothing has changed: release {json.loads(files[MANIFEST])['version']}\n"


def test_a_workflow_that_was_dropped_stays_away(
    release: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With Classroom 50, as README.md says; any other file of the lab comes back."""
    monkeypatch.setattr("grader.release.command.release_files", lambda: files)
    for name in (".github/workflows/classroom.yml", "handout.md"):
        (release / name).unlink()
    assert main(["release", str(release), "--update"]) == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "release" not in line] == ["added handout.md"]
    assert not (release / ".github" / "workflows" / "classroom.yml").exists()


def test_line_ends_are_no_change(
    release: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("grader.release.command.release_files", lambda: files)
    path = release / "tests" / "test_part1_batching.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert main(["release", str(release), "--update"]) == 0
    assert capsys.readouterr().out == f"nothing has changed: release {json.loads(files[MANIFEST])['version']}\n"


@pytest.mark.parametrize("text", ["changed by me", "", "\0"])
def test_a_file_that_the_release_has_no_more_stays_if_it_was_changed(
    text: str, release: Path, new: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """It was removed, and nobody could know that it had been another one."""
    path = release / "tests" / "test_part5_preemption.py"
    path.write_text(text, encoding="utf-8")
    assert main(["release", str(release), "--update"]) == 0
    out = capsys.readouterr().out
    why = "the release has it no more, but it was not as it had been released"
    assert f"left tests/test_part5_preemption.py: {why}\n" in out and "removed" not in out
    assert path.read_text(encoding="utf-8") == text
    assert main(["release", str(release), "--update"]) == 0
    assert path.exists() and capsys.readouterr().out == "nothing has changed: release 2\n"


def test_a_file_that_the_release_has_no_more_goes_with_other_line_ends(release: Path, new: dict[str, bytes]) -> None:
    path = release / "tests" / "test_part5_preemption.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert main(["release", str(release), "--update"]) == 0
    assert not path.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such files")
@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", ["handout.md", "starter/scheduler.py", "tests/test_part5_preemption.py", MANIFEST])
def test_a_pipe_is_not_waited_for(
    name: str, release: Path, new: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """In place of a file to be renewed, to be left, to be removed, and of the manifest."""
    (release / name).unlink()
    os.mkfifo(release / name)
    before = {path: path.read_bytes() for path in release.rglob("*") if path.is_file()}
    assert main(["release", str(release), "--update"]) == 2
    err = capsys.readouterr().err
    assert str(release) in err and ("it has no" if name == MANIFEST else "is no plain file") in err
    assert {path: path.read_bytes() for path in release.rglob("*") if path.is_file()} == before


def rewrite_manifest(release: Path, **changed: object) -> None:
    data = json.loads((release / MANIFEST).read_text(encoding="utf-8"))
    (release / MANIFEST).write_text(json.dumps({**data, **changed}), encoding="utf-8")


@pytest.mark.parametrize(
    "version",
    ["\x1b[31mred", "1\n::error::x", "1\r\n::error::x", "<img src=x>", "[x](y) @all", "\ud800\u202e", "x" * 999],
)
def test_a_former_version_is_fit_to_print(
    version: str, release: Path, new: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """It stands in the student's copy, and goes to the terminal and into the pull request."""
    rewrite_manifest(release, version=version)
    assert main(["release", str(release), "--update"]) == 0
    assert re.fullmatch(r"release [A-Za-z0-9_.-]{1,40} -> 2", capsys.readouterr().out.splitlines()[0])


@pytest.mark.parametrize(
    "changed",
    [
        {"version": None},
        {"version": 7},
        {"version": ["1"]},
        {"lab_files": {"handout.md": None}},
        {"lab_files": [[1, "x"]]},
        {"lab_files": [["handout.md", "x"]]},
        {"editable_files": {"INTEGRITY.md": 1}},
        {"editable_files": None},
        {"schema": None},
    ],
    ids=str,
)
def test_a_manifest_of_another_form_is_refused(
    changed: dict[str, object], release: Path, new: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite_manifest(release, **changed)
    assert main(["release", str(release), "--update"]) == 2
    assert "can't be read as the manifest of a release" in capsys.readouterr().err


@pytest.mark.parametrize("schema", ["batching-lab/release/v2", "batching-lab/release/v0"])
def test_a_manifest_of_another_version_is_told_from_a_broken_one(
    schema: str, release: Path, new: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    rewrite_manifest(release, schema=schema, lab_files=[], editable_files=None)
    assert main(["release", str(release), "--update"]) == 2
    assert "is of another version of the lab's release tool" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name",
    [
        "../outside.txt",
        "/etc/outside",
        "starter/../../outside.txt",
        ".git/config",
        "a\\b",
        "",
        "a\nb",
        "\x1b[31m",
        "\ud800",
    ],
)
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
def test_update_does_not_write_through_links(
    release: Path,
    name: str,
    files: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("grader.release.command.release_files", lambda: files)
    moved = release.parent / "elsewhere"
    (release / name).rename(moved)
    (release / name).symlink_to(moved)
    assert main(["release", str(release), "--update"]) == 2
    assert "is a link" in capsys.readouterr().err


NEEDS_RIGHTS = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such rights")
RENEWED = ("handout.md", "starter/batching_lab/workloads/pool.py", "tests/new.py")


@contextlib.contextmanager
def as_nobody() -> Generator[None]:
    """Root, who runs the tests in some places, may write everywhere. Nobody has a folder for temporary files, too."""
    if os.geteuid() != 0:
        yield
        return
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        tempfile.tempdir = name
        os.seteuid(65534)
        try:
            yield
        finally:
            os.seteuid(0)
            tempfile.tempdir = before


@pytest.fixture
def new(files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """The next release: files renewed, added and removed. Of the lab's folder nothing is asked: nobody may read it."""
    made = {
        name: content for name, content in files.items() if name not in (MANIFEST, "tests/test_part5_preemption.py")
    }
    made |= dict.fromkeys(RENEWED, b"new\n")
    made[MANIFEST] = manifest(made, "2").encode()
    monkeypatch.setattr("grader.release.command.release_files", lambda: made)
    monkeypatch.setattr("grader.release.command.has_leaks", lambda _: False)
    monkeypatch.setattr("grader.release.command.say_what_is_taken", lambda: None)
    return made


@pytest.fixture
def open_release(release: Path) -> Path:
    """Everybody may do everything with it."""
    for above in release.parents:  # those that pytest has made
        if above.stat().st_uid == os.geteuid() and "pytest-" in str(above):
            above.chmod(0o755)
    for path in [release, *release.rglob("*")]:
        path.chmod(0o777)
    return release


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@NEEDS_RIGHTS
@pytest.mark.parametrize(
    ("name", "mode", "what"),
    [
        ("starter/batching_lab/workloads/pool.py", 0o444, "file to be renewed"),
        ("tests", 0o555, "folder of files to be added and removed"),
        (MANIFEST, 0o444, "manifest"),
        ("handout.md", 0o222, "file that can't be read"),
        ("tests", 0o000, "folder that can't be read"),
        (".github", 0o000, "folder of the manifest"),
        (".", 0o000, "the folder itself"),
    ],
)
def test_where_something_may_not_be_written_nothing_is_renewed(
    name: str, mode: int, what: str, open_release: Path, new: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    before = content_of(open_release)
    place = open_release / name
    place.chmod(mode)
    with as_nobody():
        status = main(["release", str(open_release), "--update"])
    place.chmod(0o777)
    assert status == 2, what
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and str(place) in err and "Permission denied" in err
    assert content_of(open_release) == before


@NEEDS_RIGHTS
def test_what_needs_no_renewing_may_be_closed(open_release: Path, new: dict[str, bytes]) -> None:
    """A folder with a file that is only renewed, and files that stay."""
    closed = [open_release / name for name in ("starter/batching_lab", "starter/scheduler.py", "README.md")]
    for path in closed:
        path.chmod(0o555)
    with as_nobody():
        assert main(["release", str(open_release), "--update"]) == 0
    for path in closed:
        path.chmod(0o777)
    assert content_of(open_release) == new


@pytest.mark.parametrize("last", ["handout.md", "starter/batching_lab/workloads/pool.py", MANIFEST, "a removal"])
def test_an_update_that_breaks_off_says_what_was_renewed_and_is_completed(
    last: str,
    release: Path,
    new: dict[str, bytes],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The disk is full in the middle of a file, or a file can't be removed though its folder can be written."""
    write, unlink = Path.write_bytes, Path.unlink
    former = (release / MANIFEST).read_bytes()

    def write_half(path: Path, content: bytes) -> int:
        if path == release / last and content != former:
            write(path, content[:1])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, content)

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if last == "a removal" and release in path.parents and path.name == "test_part5_preemption.py":
            raise PermissionError(errno.EPERM, "Operation not permitted", str(path))
        unlink(path, missing_ok)

    with monkeypatch.context() as broken:
        broken.setattr(Path, "write_bytes", write_half)
        broken.setattr(Path, "unlink", refuse)
        assert main(["release", str(release), "--update"]) == 2
    err = capsys.readouterr().err
    told = err.partition("; renewed before that: ")[2].partition(";")[0].split(", ")
    assert err.count("\n") == 1 and "the same command renews the rest" in err
    assert ("No space left on device" in err) == (last != "a removal")
    done = [name for name in RENEWED if (release / name).exists() and (release / name).read_bytes() == b"new\n"]
    assert sorted(told) == (sorted(done) or ["nothing"]) and last not in done
    assert (release / MANIFEST).read_bytes() == former
    assert main(["release", str(release), "--update"]) == 0
    assert content_of(release) == new


@NEEDS_RIGHTS
@pytest.mark.parametrize("mode", [0o000, 0o555])
def test_a_release_into_a_closed_folder_is_one_sentence(
    mode: int, open_release: Path, new: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    out = open_release / "out"
    out.mkdir()
    out.chmod(mode)
    with as_nobody():
        assert main(["release", str(out)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and str(out) in err and "Permission denied" in err


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"schema": "other", "version": "1", "lab_files": {}, "editable_files": {}}']
)
def test_update_needs_a_former_release(release: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (release / MANIFEST).write_text(text, encoding="utf-8")
    assert main(["release", str(release), "--update"]) == 2
    assert "can't be read as the manifest of a release" in capsys.readouterr().err
    (release / MANIFEST).unlink()
    assert main(["release", str(release), "--update"]) == 2
    assert "is no former release" in capsys.readouterr().err
