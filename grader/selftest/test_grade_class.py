"""Grading a class: what is no zero, what stays of a former grading, and that nothing runs on when it is stopped."""

import contextlib
import gzip
import io
import json
import os
import shlex
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from grader.classroom import grade_class
from grader.classroom.collect import INDEX
from grader.classroom.grade_class import main
from grader.classroom.unpack import main as unpack_all
from grader.classroom.unpack import unpack
from grader.cli import main as grader_main
from grader.grading.grade import grade
from grader.grading.result import Result, load_result
from grader.paths import ROOT, SOLUTION
from grader.proving.helpers import FILES, linux_only, make_submission, wait_for

STARTER = {f"lab-ann-1a2b3c/starter/{name}": (SOLUTION / name).read_bytes() for name in FILES}
HANGS = b"import time\ntime.sleep(60)\n"


def pack(path: Path, files: dict[str, bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


def make_class(folder: Path, students: dict[str, dict[str, bytes] | None], **about: Any) -> Path:
    """What collect writes: an archive for each (None: there is no archive), and the index."""
    folder.mkdir(parents=True, exist_ok=True)
    entry = {"repository": "course/lab", "error": "", "empty": False, **about}
    for student, files in students.items():
        if files is not None:
            pack(folder / f"{student}.tar.gz", files)
    (folder / INDEX).write_text(json.dumps(dict.fromkeys(students, entry)), encoding="utf-8")
    return folder


def result_of(out: Path, student: str) -> Result:
    return load_result(out / "results" / f"{student}.json")


@pytest.fixture(scope="module")
def some_score() -> Result:
    """A result of the solution, so that not each test need wait for one."""
    return grade(SOLUTION, ["0"])


@pytest.fixture
def grades_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Part 0 only, and in this process."""

    def grade_here(words: list[str], seconds: float, log: Path) -> str:
        with log.open("w", encoding="utf-8") as output, contextlib.redirect_stdout(output):
            status = grader_main([*words, "--parts", "0"])
        return f"The grader ended with {status}." if status else ""

    monkeypatch.setattr(grade_class, "run_grader", grade_here)


OPTIONS = ["--allow-weak-isolation"]


# -- nothing that could be graded


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "There are no files."),
        (
            {"top/README.md": b"x"},
            "No folder holds scheduler.py, kv_allocator.py or answers.toml. top holds README.md.",
        ),
        ({"top/starter": b"x", "top/notes.txt": b"x"}, "top holds notes.txt, starter."),
        ({"top/starter/Scheduler.py": b"x"}, "Not the right name: top/starter/Scheduler.py."),
        ({"top/lab.zip": b"x"}, "Not looked into: top/lab.zip."),
        (
            {"top/README.md": b"x"},
            "export-ignore in .gitattributes leaves files out of a repository's archive: that may",
        ),
        (
            {"top/.gitattributes": b"starter export-ignore\n"},
            "export-ignore in .gitattributes leaves files out of a repository's archive: it is used here.",
        ),
        (
            {"top/.gitattributes": b"*.toml export-ignore\n", "top/starter/scheduler.py": b"x = 1"},
            "top/starter in the archive holds no kv_allocator.py and no answers.toml. export-ignore",
        ),
        (
            {f"top/{lab}/starter/{name}": b"" for lab in "ab" for name in FILES},
            "2 folders hold files of a submission, and none was chosen: top/a/starter (scheduler.py, kv_allocator.py, "
            "answers.toml), top/b/starter (scheduler.py, kv_allocator.py, answers.toml).",
        ),
        (
            {"top/code/scheduler.py": b"", "top/answers.toml": b""},
            "none was chosen: top (answers.toml), top/code (scheduler.py).",
        ),
        (
            {"top/starter/scheduler.py": b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n"},
            "top/starter/scheduler.py in the archive is a pointer of Git LFS, not the file itself.",
        ),
    ],
)
def test_what_can_not_be_graded_is_no_zero(
    files: dict[str, bytes], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was not handed in, which is nobody's failure: the student reads what was found where."""
    archives = make_class(tmp_path / "archives", {"ann": files})
    assert main([str(archives), "--out", str(tmp_path / "out")]) == 0
    result = result_of(tmp_path / "out", "ann")
    assert (result.status, result.score) == ("not_submitted", None) and sentence in result.error
    assert "1 of 1: ann: not_submitted: " in capsys.readouterr().out
    feedback = tmp_path / "out" / "feedback"
    for path in (feedback / "ann.md", feedback / "ann.html"):
        text = path.read_text(encoding="utf-8").replace("\\", "")
        assert sentence[:40] in text and "0 of 0" not in text and "not your fault" not in text


def test_an_empty_repository_was_not_handed_in(tmp_path: Path) -> None:
    archives = make_class(tmp_path / "archives", {"ann": None}, empty=True)
    assert main([str(archives), "--out", str(tmp_path / "out")]) == 0
    result = result_of(tmp_path / "out", "ann")
    assert (result.status, result.error) == ("not_submitted", "The repository is empty: nothing was handed in.")


@pytest.mark.parametrize(
    ("archive", "about", "sentence"),
    [
        (None, {}, "the repository's archive ann.tar.gz is missing"),
        (b"", {}, "the repository's archive can't be read: ReadError"),
        (gzip.compress(b"no archive" * 100), {}, "the repository's archive can't be read: ReadError"),
        (None, {"error": "HTTP 403"}, "The repository could not be collected: HTTP 403"),
    ],
)
def test_what_was_not_fetched_is_the_graders_fault(
    archive: bytes | None, about: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    archives = make_class(tmp_path / "archives", {"ann": None}, **about)
    if archive is not None:
        (archives / "ann.tar.gz").write_bytes(archive)
    assert main([str(archives), "--out", str(tmp_path / "out")]) == 1
    result = result_of(tmp_path / "out", "ann")
    assert (result.status, result.error) == ("grader_error", sentence)


def pack_with_folders(path: Path, files: dict[str, bytes], *folders: str) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name in folders:
            member = tarfile.TarInfo(name)
            member.type = tarfile.DIRTYPE
            tar.addfile(member)
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


SUBMODULES = (
    "A repository's archive holds no files of the submodules that .gitmodules names: that may be why starter is"
)


@pytest.mark.parametrize(
    "others", [{}, {"top/README.md": b"x"}, {"top/a/answers.toml": b"", "top/b/answers.toml": b""}]
)
def test_a_submodule_is_named_where_the_labs_folder_is_empty(others: dict[str, bytes], tmp_path: Path) -> None:
    """GitHub leaves its files out, and the student sees them on GitHub's page."""
    archives = make_class(tmp_path / "archives", {"ann": None, "bob": None})
    modules = {"top/.gitmodules": b'[submodule "starter"]\n\tpath = starter\n'}
    pack_with_folders(archives / "ann.tar.gz", modules | others, "top", "top/starter")
    pack_with_folders(archives / "bob.tar.gz", others, "top", "top/starter")
    assert main([str(archives), "--out", str(tmp_path / "out")]) == 0
    ann, bob = (result_of(tmp_path / "out", name) for name in ("ann", "bob"))
    assert ann.status == bob.status == "not_submitted"
    assert SUBMODULES in ann.error and SUBMODULES not in bob.error


def test_a_submodule_is_named_beside_what_is_taken_instead(tmp_path: Path) -> None:
    """And not where the lab's folder holds the submission, or is not there."""
    modules = {"top/.gitmodules": b"[submodule]"}
    copy = {"top/copy/scheduler.py": b"x = 1"}
    pack_with_folders(tmp_path / "ann.tar.gz", modules | copy, "top", "top/starter")
    pack_with_folders(tmp_path / "bob.tar.gz", modules | copy, "top")
    pack_with_folders(tmp_path / "cyd.tar.gz", modules | {"top/starter/scheduler.py": b""}, "top", "top/starter")
    notes = {name: unpack(tmp_path / f"{name}.tar.gz", tmp_path / name) for name in ("ann", "bob", "cyd")}
    assert notes["ann"][-1].startswith(SUBMODULES) and "submodule" not in str(notes["bob"] + notes["cyd"])


# -- folders around the submission


@pytest.mark.usefixtures("grades_fast")
@pytest.mark.parametrize(
    ("above", "notes"),
    [
        ("lab-ann-1a2b3c/starter/", []),
        ("lab-ann-1a2b3c/", ["Graded: lab-ann-1a2b3c."]),
        ("lab-ann-1a2b3c/lab/starter/", ["Graded: lab-ann-1a2b3c/lab/starter."]),
        ("a/b/c/", ["Graded: a/b/c."]),
        ("", []),
        ("./", []),
    ],
)
def test_the_submission_is_found_in_an_archive(above: str, notes: list[str], tmp_path: Path) -> None:
    files = {f"{above}{name}": (SOLUTION / name).read_bytes() for name in FILES}
    litter = {f"__MACOSX/{above}._scheduler.py": b"\0", f"{above}._answers.toml": b"\0", ".DS_Store": b"\0"}
    archives = make_class(tmp_path / "archives", {"ann": files, "bob": files | litter})
    assert main([str(archives), "--out", str(tmp_path / "out"), *OPTIONS]) == 0
    for name in ("ann", "bob"):
        result = result_of(tmp_path / "out", name)
        assert (result.status, result.score, result.submission) == ("graded", 5, name)
    assert result_of(tmp_path / "out", "ann").notes == notes


@pytest.mark.usefixtures("grades_fast")
def test_a_copy_beside_the_labs_own_folder_is_named_and_not_graded(tmp_path: Path) -> None:
    """The copy comes first in the archive and holds worse answers."""
    worse = {name.replace("starter", "backup"): b"" for name in STARTER}
    archives = make_class(tmp_path / "archives", {"ann": worse | STARTER})
    assert main([str(archives), "--out", str(tmp_path / "out"), *OPTIONS]) == 0
    result = result_of(tmp_path / "out", "ann")
    assert result.score == 5 and result.notes == [
        "Graded: lab-ann-1a2b3c/starter.",
        "Not graded: lab-ann-1a2b3c/backup (scheduler.py, kv_allocator.py, answers.toml).",
    ]


@pytest.mark.usefixtures("grades_fast")
def test_a_crowd_of_files_keeps_no_required_one_out(tmp_path: Path) -> None:
    """scheduler.py comes late in an archive, behind more files than are graded."""
    crowd = {f"lab-ann-1a2b3c/starter/a{number:03}.py": b"" for number in range(500)}
    large = {"lab-ann-1a2b3c/starter/b.py": b"#" * (2 << 20)}
    archives = make_class(tmp_path / "archives", {"ann": crowd | STARTER, "bob": large | STARTER})
    assert main([str(archives), "--out", str(tmp_path / "out"), *OPTIONS]) == 0
    ann, bob = (result_of(tmp_path / "out", name) for name in ("ann", "bob"))
    assert ann.score == bob.score == 5 and "a submission has at most 64 files" in ann.notes[0]
    assert bob.notes == ["b.py was not taken: it is larger than 1 MiB."]


LONG = {
    "a" * 253 + ".py": "its name is longer than 255 bytes",
    "\u00fc" * 127 + ".py": "its name is longer than 255 bytes",
    "a\\b.py": "no file can have that name everywhere",
}


@pytest.mark.usefixtures("grades_fast")
@pytest.mark.parametrize("name", LONG, ids=["ASCII", "two bytes each", "backslash"])
def test_a_name_that_no_file_can_have_costs_nothing(name: str, tmp_path: Path) -> None:
    """Such a file is left out and named; one that just fits is taken."""
    fits = "b" * 252 + ".py"
    files = STARTER | {f"lab-ann-1a2b3c/starter/{other}": b"" for other in (name, fits)}
    archives = make_class(tmp_path / "archives", {"ann": files, "bob": STARTER})
    assert main([str(archives), "--out", str(tmp_path / "out"), *OPTIONS]) == 0
    ann = result_of(tmp_path / "out", "ann")
    assert (ann.status, ann.score) == ("graded", 5) and ann.notes == [
        f"{name[:57]}{'...' if len(name) > 60 else ''} was not taken: {LONG[name]}."
    ]
    assert unpack_all([str(archives), "--out", str(tmp_path / "unpacked")]) == 0
    assert {path.name for path in (tmp_path / "unpacked" / "ann").iterdir()} == {*FILES, fits}
    assert (tmp_path / "unpacked" / "bob").is_dir()


@pytest.mark.usefixtures("grades_fast")
def test_a_link_in_an_archive_is_not_followed(tmp_path: Path) -> None:
    archives = make_class(tmp_path / "archives", {"ann": {}})
    with tarfile.open(archives / "ann.tar.gz", "w:gz") as tar:
        for name, content in STARTER.items():
            member = tarfile.TarInfo(name)
            if name.endswith("scheduler.py"):
                member.type, member.linkname = tarfile.SYMTYPE, str(SOLUTION / "scheduler.py")
                tar.addfile(member)
            else:
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    assert main([str(archives), "--out", str(tmp_path / "out"), *OPTIONS]) == 0
    assert result_of(tmp_path / "out", "ann").notes == ["scheduler.py was not taken: it is a link."]


# -- unpacked, for the GPU stage and for whoever reads the reports


def test_the_report_is_unpacked_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archives = make_class(
        tmp_path / "archives",
        {
            "ann": STARTER
            | {"lab-ann-1a2b3c/starter/report.md": b"# C waited", "lab-ann-1a2b3c/starter/notes.md": b""},
            "bob": {"lab/hand-in/report.md": b"# B", "lab/hand-in/scheduler.py": b"", "lab/report.md": b"# another"},
            "eve": {"lab/report.md": b"# Nothing else"},
        },
    )
    assert unpack_all([str(archives), "--out", str(tmp_path / "out")]) == 1
    found = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*"))
    of_ann = [f"ann/{name}" for name in sorted([*FILES, "report.md"])]
    assert found == ["ann", *of_ann, "bob", "bob/report.md", "bob/scheduler.py"]
    assert (tmp_path / "out" / "bob" / "report.md").read_bytes() == b"# B"
    printed = capsys.readouterr()
    assert printed.out == "bob.tar.gz: Graded: lab/hand-in.\n"
    assert printed.err.startswith("eve.tar.gz: No folder holds scheduler.py, kv_allocator.py or answers.toml.")


def test_unpacking_that_is_stopped_leaves_no_half_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that is there is not unpacked again; a time limit's signal is a Ctrl-C."""
    archives = make_class(tmp_path / "archives", {"ann": STARTER})

    def interrupted(archive: Path, folder: Path) -> list[str]:
        unpack(archive, folder)
        (folder / "scheduler.py").unlink()
        signal.raise_signal(signal.SIGTERM)
        return []

    monkeypatch.setattr("grader.classroom.unpack.unpack", interrupted)
    assert unpack_all([str(archives), "--out", str(tmp_path / "out")]) == 130
    assert capsys.readouterr().err == "unpack: stopped; what was unpacked stays\n"
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_without_archives_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        assert unpack_all([str(folder), "--out", str(tmp_path / "out")]) == 2
        assert capsys.readouterr().err == f"unpack: {folder} holds no archive NAME.tar.gz\n"


# -- the index


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        (None, "holds no repositories.json: it must be a folder that collect has written"),
        ("{", "can't be read as JSON"),
        ("[]", "is not what collect writes"),
        ('{"ann": "x"}', "is not what collect writes"),
        ('{"ann": {}}', "is not what collect writes"),
        ('{"ann": {"repository": "c/ann", "error": "", "commit": 1234567}}', "is not what collect writes"),
        ('{"../ann": {"error": ""}}', "is not what collect writes"),
    ],
)
def test_a_folder_that_collect_has_not_written_is_one_sentence(
    index: str | None, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if index is not None:
        (tmp_path / INDEX).write_text(index, encoding="utf-8")
    assert main([str(tmp_path), "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith("class: ") and sentence in error and error.count("\n") == 1


def test_a_folder_that_can_not_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archives = make_class(tmp_path / "archives", {"ann": {}})
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    assert main([str(archives), "--out", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith("class: can't write ")


@pytest.mark.parametrize("place", ["results/bob.json", "feedback/bob.html", "feedback/bob.md"])
def test_a_folder_in_a_files_place_costs_nobody_else(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archives, out = make_class(tmp_path / "archives", {"ann": {}, "bob": {}, "cyd": {}}), tmp_path / "out"
    (out / place).mkdir(parents=True)
    assert main([str(archives), "--out", str(out)]) == 1
    assert capsys.readouterr().err == f"class: bob: can't write {out / place}: Is a directory\n"
    assert result_of(out, "ann").status == result_of(out, "cyd").status == "not_submitted"
    if "results" not in place:
        assert result_of(out, "bob").status == "not_submitted"
    assert not list(out.rglob("*/.*"))


def test_a_file_in_a_folders_place_is_one_archives_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archives = make_class(tmp_path / "archives", {"ann": STARTER, "bob": STARTER})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "ann").write_text("kept", encoding="utf-8")
    assert unpack_all([str(archives), "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err == f"ann.tar.gz: can't write {tmp_path / 'out' / 'ann'}: Not a directory\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["ann", "bob"]


# -- what is printed


def run_in_shell(command: str, end: str, tmp_path: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Its exit status is in tmp_path/status."""
    line = f"{shlex.quote(sys.executable)} -m grader {command}"
    return subprocess.run(
        ["bash", "-c", f"({line}; echo $? > {shlex.quote(str(tmp_path / 'status'))}) {end}"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8", "latin-1:strict"])
@pytest.mark.parametrize("command", ["class", "unpack"])
def test_a_name_that_can_not_be_printed_ends_no_class(command: str, encoding: str, tmp_path: Path) -> None:
    names = ["\u4f5c\u4e1a", "\U0001f680", "a\x1b[31m"]
    files = {f"top/{name}/{file}": b"" for name in names for file in ("scheduler.py", "readme")}
    found = {f"top/{names[0]}/scheduler.py": b"x = 1"}
    archives = make_class(tmp_path / "archives", {"ann": files, "bob": found if command == "unpack" else files})
    call = f"{command} {shlex.quote(str(archives))} --out {shlex.quote(str(tmp_path / 'out'))}"
    done = run_in_shell(call, "", tmp_path, PYTHONIOENCODING=encoding)
    assert "Traceback" not in done.stderr and "\x1b" not in done.stdout + done.stderr
    assert (tmp_path / "status").read_text(encoding="utf-8") == ("1\n" if command == "unpack" else "0\n")
    if command == "unpack":
        assert (tmp_path / "out" / "bob" / "scheduler.py").exists()
    else:
        assert result_of(tmp_path / "out", "bob").status == "not_submitted"
        assert names[0] in result_of(tmp_path / "out", "ann").error


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("end", ["| head -0", "2>&1 | head -0", ">&-", ">&- 2>&-", "> /dev/full", "> /dev/full 2>&1"])
@pytest.mark.parametrize("command", ["class", "unpack"])
def test_nobody_need_read_what_is_printed(command: str, end: str, tmp_path: Path) -> None:
    """All are graded, wherever what is printed goes."""
    if "full" in end and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    files: dict[str, bytes] = {} if command == "class" else {"top/scheduler.py": b"x = 1"}
    archives = make_class(tmp_path / "archives", dict.fromkeys(("ann", "bob", "cyd"), files))
    call = f"{command} {shlex.quote(str(archives))} --out {shlex.quote(str(tmp_path / 'out'))}"
    done = run_in_shell(call, end, tmp_path)
    assert (tmp_path / "status").read_text(encoding="utf-8") == "0\n" and done.stdout + done.stderr == ""
    for student in ("ann", "bob", "cyd"):
        if command == "class":
            assert result_of(tmp_path / "out", student).status == "not_submitted"
        else:
            assert (tmp_path / "out" / student / "scheduler.py").exists()


# -- a former result


def fail(words: list[str], *_: object) -> str:
    return "The grader ended with -9: no memory"


def write_former(out: Path, result: Result, **changes: Any) -> bytes:
    path = out / "results" / "ann.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(json.loads(result.to_json()) | changes), encoding="utf-8")
    return path.read_bytes()


def test_a_score_of_the_same_submission_outlives_a_failed_grader(
    some_score: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archives, out = make_class(tmp_path / "archives", {"ann": STARTER}), tmp_path / "out"
    before = write_former(out, some_score)
    monkeypatch.setattr(grade_class, "run_grader", fail)
    assert main([str(archives), "--out", str(out)]) == 1
    assert (out / "results" / "ann.json").read_bytes() == before
    printed = capsys.readouterr()
    assert printed.out.endswith("1 of 1: ann: graded: 5 of 5\n")
    assert printed.err == (
        "class: ann: the former score stays, for there is no new result: The grader ended with -9: no memory\n"
    )


def test_a_score_outlives_a_repository_that_could_not_be_collected(
    some_score: Result, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One token that has expired takes nobody's score; the exit status tells."""
    archives, out = make_class(tmp_path / "archives", {"ann": STARTER}), tmp_path / "out"
    index = json.loads((archives / INDEX).read_text(encoding="utf-8"))
    index["ann"]["error"] = "gh: HTTP 401"
    (archives / INDEX).write_text(json.dumps(index), encoding="utf-8")
    before = write_former(out, some_score)
    assert main([str(archives), "--out", str(out)]) == 1
    assert (out / "results" / "ann.json").read_bytes() == before
    assert (
        "ann: the former score stays, for there is no new result: The repository could not" in capsys.readouterr().err
    )


def test_what_this_machine_can_not_do_now_ends_nobody_elses_grading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_process(*_: object) -> str:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    archives, out = make_class(tmp_path / "archives", {"ann": STARTER, "bob": {}}), tmp_path / "out"
    monkeypatch.setattr(grade_class, "run_grader", no_process)
    assert main([str(archives), "--out", str(out)]) == 1
    assert result_of(out, "ann").status == "grader_error" and result_of(out, "bob").status == "not_submitted"


@pytest.mark.parametrize("status", ["grader_error", "not_submitted"])
def test_a_score_of_another_submission_is_put_aside_not_lost(
    some_score: Result, status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archives = make_class(tmp_path / "archives", {"ann": STARTER if status == "grader_error" else {}})
    out = tmp_path / "out"
    before = write_former(out, some_score, key="sha256:another")
    monkeypatch.setattr(grade_class, "run_grader", fail)
    assert main([str(archives), "--out", str(out)]) == (1 if status == "grader_error" else 0)
    assert result_of(out, "ann").status == status
    assert (out / "former" / "ann.json.former").read_bytes() == before  # by its name no result for an export of `out`
    assert "class: ann: there is no score any more; the former one, graded: 5 of 5" in capsys.readouterr().err


# -- stopped


def processes_of(folder: Path) -> list[str]:
    """The command lines of all that still run and name the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            line = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if str(folder) in line:
                found.append(line)
    return found


@contextlib.contextmanager
def started(command: list[str], temp: Path, shares: int = 2) -> Generator["subprocess.Popen[str]"]:
    """A command in a session of its own, with its own temporary folder, while workers of its grading are at work."""
    temp.mkdir()
    temp.chmod(0o755)
    path = os.pathsep.join([str(ROOT), str(ROOT / "starter")])
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", *command],
        env={**os.environ, "TMPDIR": str(temp), "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
    )
    try:
        at_work = 2 * shares if (os.cpu_count() or 1) > 1 else 2  # of each share its template and a worker
        assert wait_for(lambda: str(processes_of(temp)).count("--template") >= at_work, 60)
        time.sleep(0.5)
        yield process
    finally:
        process.kill()
        process.communicate()


def open_folder(tmp_path: Path) -> Path:
    """Where another user, as whom a worker may run, can enter."""
    for folder in [tmp_path, *tmp_path.parents]:
        if "pytest-" in str(folder):
            folder.chmod(0o755)
    return tmp_path


STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]


@linux_only
@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.name)
def test_nothing_runs_on_when_class_grading_is_stopped(
    stop: signal.Signals, some_score: Result, tmp_path: Path
) -> None:
    """Ctrl-C, a time limit, and a kill that nobody can answer; the former result of who was at it stays."""
    temp, out = open_folder(tmp_path) / "temp", tmp_path / "out"
    hangs = STARTER | {"lab-ann-1a2b3c/starter/scheduler.py": HANGS}
    archives = make_class(tmp_path / "archives", {"ann": hangs, "bob": STARTER})
    before = write_former(out, some_score)
    with started(["grader", "class", str(archives), "--out", str(out), *OPTIONS], temp) as process:
        os.killpg(process.pid, stop)
        _, error = process.communicate(timeout=60)
        assert process.returncode == (-stop if stop == signal.SIGKILL else 130)
    assert wait_for(lambda: not processes_of(temp), 20), processes_of(temp)
    assert (out / "results" / "ann.json").read_bytes() == before
    assert [path.name for path in (out / "results").iterdir()] == ["ann.json"]
    if stop != signal.SIGKILL:
        assert error == "class: interrupted at ann; from there on nothing was changed\n"
        assert list(temp.iterdir()) == [], [str(p) for p in temp.rglob("*")][:30]


@linux_only
@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.name)
@pytest.mark.parametrize(("parts", "shares"), [("1", 1), ("0,1,2", 2)])
def test_nothing_runs_on_when_one_grading_is_stopped(
    parts: str, shares: int, stop: signal.Signals, tmp_path: Path
) -> None:
    """Nor is the half of it written over the former result."""
    temp, path = open_folder(tmp_path) / "temp", tmp_path / "result.json"
    folder = make_submission(tmp_path / "s", files={"scheduler.py": HANGS.decode()})
    path.write_text("former", encoding="utf-8")
    command = ["grader", "grade", str(folder), "--json", str(path), "--parts", parts, *OPTIONS]
    with started(command, temp, shares) as process:
        os.killpg(process.pid, stop) if stop == signal.SIGINT else process.send_signal(stop)
        _, error = process.communicate(timeout=60)
        assert process.returncode == (-stop if stop == signal.SIGKILL else 130)
    assert wait_for(lambda: not processes_of(tmp_path), 20), processes_of(tmp_path)
    assert path.read_text(encoding="utf-8") == "former"
    if stop != signal.SIGKILL:
        assert error == "grader: interrupted\n" and list(temp.iterdir()) == []


@linux_only
def test_a_student_who_takes_too_long_leaves_nothing_running(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The next one is graded as ever."""
    temp, out = open_folder(tmp_path) / "temp", tmp_path / "out"
    temp.mkdir()
    monkeypatch.setenv("TMPDIR", str(temp))
    monkeypatch.setattr("tempfile.tempdir", str(temp))
    monkeypatch.setattr(grade_class, "SECONDS", 4)
    hangs = STARTER | {"lab-ann-1a2b3c/starter/scheduler.py": HANGS}
    archives = make_class(tmp_path / "archives", {"ann": hangs, "bob": {}})
    assert main([str(archives), "--out", str(out), *OPTIONS]) == 1
    assert result_of(out, "ann").error == "The grader had not ended after 4 seconds."
    assert result_of(out, "bob").status == "not_submitted"
    assert wait_for(lambda: not processes_of(temp), 20), processes_of(temp)
    assert list(temp.iterdir()) == [], [str(p) for p in temp.rglob("*")][:30]
