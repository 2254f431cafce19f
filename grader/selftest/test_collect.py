"""Collecting and commenting, with a false gh: what GitHub refuses, loses or limits costs nobody anything."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.classroom import github as asking
from grader.classroom.collect import INDEX, listed, read_index, student_names
from grader.classroom.collect import main as collect
from grader.classroom.comment import MARKER
from grader.classroom.comment import main as comment
from grader.options import UsageError
from grader.paths import ROOT
from grader.proving.fakes.fake_github import COMMIT, ME, FakeGitHub, archive, error
from grader.proving.helpers import linux_only, wait_for

OLD, NEW = (archive({"course-lab-1/starter/scheduler.py": text}, commit=COMMIT) for text in (b"old", b"new"))
NAMES = ("course/lab-ada", "course/lab-bob", "course/lab-cyd")
NOW = 1_800_000_000
PRIMARY = error(
    403, "API rate limit exceeded for user ID 1.", X_RateLimit_Remaining="0", X_RateLimit_Reset=str(NOW + 90)
)
SECONDARY = error(403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
NO_NETWORK = {"status": 0, "error": "error connecting to api.github.com"}
EMPTY = error(409, "Git Repository is empty.")
UNAVAILABLE = error(409, "Git Repository is currently unavailable. Please try again later.")
STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] if os.name == "posix" else []
DENIED = error(403, "Resource not accessible by personal access token", X_RateLimit_Remaining="4999")


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeGitHub:
    """On the path; it has an archive of each of NAMES."""
    if sys.platform == "win32":
        pytest.skip("needs a program made of a script")
    fake = FakeGitHub(tmp_path / "github")
    monkeypatch.setenv("PATH", os.pathsep.join([str(fake.bin), os.environ["PATH"]]))
    for name in NAMES:
        fake.has(name, NEW)
    (tmp_path / "list.txt").write_text("\n".join(NAMES), encoding="utf-8")
    return fake


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits that were made, none of which takes time."""
    made: list[float] = []
    clock = SimpleNamespace(sleep=made.append, time=lambda: float(NOW))
    monkeypatch.setattr("grader.classroom.github.time", clock)
    monkeypatch.setattr("grader.classroom.comment.time", clock)
    return made


def run(tmp_path: Path, *options: str) -> int:
    return collect(["--list", str(tmp_path / "list.txt"), "--out", str(tmp_path / "archives"), *options])


def wait_until_gh_hangs(github: FakeGitHub, process: subprocess.Popen[str]) -> None:
    while not (github.here / "hangs").exists():
        assert process.poll() is None
        time.sleep(0.02)


def archives_in(tmp_path: Path) -> dict[str, bytes]:
    """All files but the index."""
    return {path.name: path.read_bytes() for path in (tmp_path / "archives").iterdir() if path.name != INDEX}


# Limits and other trouble


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        pytest.param([PRIMARY], [91], id="primary: until it is reset"),
        pytest.param([error(429, "Too Many Requests", Retry_After="7")] * 2, [7, 7], id="429: as long as it says"),
        pytest.param([error(403, "Forbidden", Retry_After="30")], [30], id="403 that says how long"),
        pytest.param([SECONDARY] * 3, [60, 120, 240], id="secondary: a minute, and longer each time"),
        pytest.param([{"status": 429, "error": "HTTP 429", "body": "slow down"}], [60], id="429 of codeload"),
        pytest.param([{"status": 0, "error": "API rate limit exceeded (HTTP 403)"}], [60], id="without headers"),
        pytest.param([error(502, "Bad Gateway"), error(500, "Server Error")], [2, 10], id="GitHub's own fault"),
        pytest.param([NO_NETWORK, NO_NETWORK], [2, 10], id="no network"),
        pytest.param([{"body": "cut", "error": "unexpected EOF"}], [2], id="the connection breaks"),
        pytest.param([{"body": "<html>sign in</html>"}], [2], id="the answer of a proxy"),
        pytest.param([{"body": ""}], [2], id="nothing"),
        pytest.param([UNAVAILABLE] * 2, [2, 10], id="not to be had now"),
    ],
)
def test_what_passes_is_waited_for(
    github: FakeGitHub,
    waits: list[float],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    answers: list[dict[str, Any]],
    expected: list[float],
) -> None:
    github.has(NAMES[1], NEW, *answers)
    assert run(tmp_path) == 0 and waits == expected
    assert archives_in(tmp_path) == {f"lab-{who}.tar.gz": NEW for who in ("ada", "bob", "cyd")}
    said = capsys.readouterr()
    assert "Collected 3 of 3 repositories." in said.out
    assert said.err.count(f"asking for repos/{NAMES[1]}/tarball again in ") == len(expected)


def test_a_limit_that_lasts_ends_the_run_and_costs_no_archive(
    github: FakeGitHub, waits: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second of three: nothing more is asked, what was there stays, the index and the exit status say it."""
    for name in NAMES:
        github.has(name, OLD)
    assert run(tmp_path) == 0
    github.has(NAMES[0], NEW)
    github.has(NAMES[1], NEW, *[SECONDARY] * 20)
    before = len(github.asked())
    assert run(tmp_path) == 1
    assert f"repos/{NAMES[2]}/tarball" not in github.asked()[before:] and sum(waits) < asking.PATIENCE_SECONDS
    assert archives_in(tmp_path) == {"lab-ada.tar.gz": NEW, "lab-bob.tar.gz": OLD, "lab-cyd.tar.gz": OLD}
    index = read_index(tmp_path / "archives")
    assert not index["lab-ada"]["error"] and index["lab-ada"]["older_commit"] == ""
    assert "secondary rate limit" in index["lab-bob"]["error"]
    for student in ("lab-bob", "lab-cyd"):
        assert index[student]["commit"] == "" and index[student]["older_commit"] == COMMIT
        assert f"the archive of a former run (commit {COMMIT}) is kept, but not graded" in index[student]["error"]
    said = capsys.readouterr()
    assert "Collected 1 of 3 repositories." in said.out
    assert f"Not collected: {NAMES[2]}: collecting ended before it was this repository's turn" in said.err


@pytest.mark.parametrize("wrong", [error(404, "Not Found"), DENIED, error(451, "Repository access blocked")])
def test_what_does_not_pass_is_not_waited_for(
    github: FakeGitHub, waits: list[float], tmp_path: Path, wrong: dict[str, Any]
) -> None:
    """The other repositories are collected all the same."""
    github.say(f"repos/{NAMES[1]}/tarball", wrong)
    assert run(tmp_path) == 1 and not waits
    assert set(archives_in(tmp_path)) == {"lab-ada.tar.gz", "lab-cyd.tar.gz"}
    assert wrong["error"] in read_index(tmp_path / "archives")["lab-bob"]["error"]


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param({"body": "no archive"}, id="no archive"),
        pytest.param({"cut": NEW[:-1]}, id="the last byte is missing"),
        pytest.param({"cut": NEW[: len(NEW) // 2]}, id="half is missing"),
        pytest.param({"cut": NEW[:-8] + bytes(8)}, id="damaged"),
        pytest.param({"cut": archive({})}, id="nothing in it"),
        pytest.param({"cut": archive({}, commit=COMMIT)}, id="nothing in it but a commit"),
        pytest.param({"cut": archive({"scheduler.py": b"x"})}, id="no folder at its top"),
        pytest.param({"cut": NEW, "error": "unexpected EOF"}, id="gh says that it failed"),
        pytest.param({"status": 500, "body": "x", "error": "HTTP 500"}, id="GitHub fails"),
        pytest.param({"hangs": True}, id="no end"),
    ],
)
@pytest.mark.parametrize("was_there", [True, False])
def test_only_a_whole_archive_takes_the_place_of_another(
    github: FakeGitHub,
    waits: list[float],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bad: dict[str, Any],
    was_there: bool,
) -> None:
    if was_there:
        github.has(NAMES[1], OLD)
        assert run(tmp_path) == 0
    answer = {name: value for name, value in bad.items() if name != "cut"}
    if "cut" in bad:
        (tmp_path / "cut").write_bytes(bad["cut"])
        answer["file"] = str(tmp_path / "cut")
    monkeypatch.setattr(asking, "ANSWER_SECONDS", 0.5 if "hangs" in bad else 60)
    github.say(f"repos/{NAMES[1]}/tarball", answer)
    (tmp_path / "list.txt").write_text(NAMES[1], encoding="utf-8")
    assert run(tmp_path) == 1 and waits == [2, 10]
    kept = {"lab-bob.tar.gz": OLD} if was_there else {}
    assert {name: content for name, content in archives_in(tmp_path).items() if "bob" in name} == kept
    assert read_index(tmp_path / "archives")["lab-bob"]["error"]


@pytest.mark.parametrize("number", [*STOPS, signal.SIGKILL] if os.name == "posix" else [])
def test_a_run_that_is_stopped_leaves_whole_archives_and_an_index(
    github: FakeGitHub, tmp_path: Path, number: signal.Signals
) -> None:
    """Ctrl-C and a time limit: one sentence. A killed run can say nothing, and has the index all the same."""
    for name in NAMES:
        github.has(name, OLD)
    assert run(tmp_path) == 0
    github.has(NAMES[0], NEW)
    github.say(f"repos/{NAMES[1]}/tarball", {"hangs": True})
    options = ["--list", str(tmp_path / "list.txt"), "--out", str(tmp_path / "archives")]
    command = [sys.executable, "-m", "grader", "collect", *options]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, encoding="utf-8") as process:
        wait_until_gh_hangs(github, process)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert archives_in(tmp_path) == {"lab-ada.tar.gz": NEW, "lab-bob.tar.gz": OLD, "lab-cyd.tar.gz": OLD}
    index = read_index(tmp_path / "archives")
    assert [bool(index[f"lab-{who}"]["error"]) for who in ("ada", "bob", "cyd")] == [False, True, True]
    if number != signal.SIGKILL:
        assert process.returncode == 130 and said.count("\n") == 1 and "stopped" in said


@linux_only
@pytest.mark.parametrize("number", [*STOPS, signal.SIGKILL] if os.name == "posix" else [])
@pytest.mark.parametrize("command", ["collect", "comment"])
def test_gh_ends_with_the_run_that_asked_it(
    github: FakeGitHub, tmp_path: Path, command: str, number: signal.Signals
) -> None:
    """It would go on for as long as GitHub takes, with the token."""
    (github.bin / "gh").write_text('#!/bin/sh\necho $$ > "$0.pid"\nexec sleep 60\n', encoding="utf-8")
    pid = github.bin / "gh.pid"
    arguments = feedback_for(tmp_path, "text", "lab-ada")
    if command == "collect":
        arguments = ["--list", str(tmp_path / "list.txt"), "--out", str(tmp_path / "new")]
    words = [sys.executable, "-m", "grader", command, *arguments]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE, text=True, encoding="utf-8") as process:
        while not pid.exists() or not pid.read_text(encoding="utf-8"):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    if number != signal.SIGKILL:
        assert process.returncode == 130 and said.startswith(f"{command}: stopped") and said.count("\n") == 1
    words_of_gh = Path("/proc", pid.read_text(encoding="utf-8").strip(), "cmdline")
    # No words: it is over, and not yet gone.
    assert wait_for(lambda: not words_of_gh.exists() or not words_of_gh.read_bytes(), 20)


def test_what_gh_says_changes_no_terminal(
    github: FakeGitHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither the terminal where it runs nor the one where somebody reads the index."""
    github.say(f"repos/{NAMES[1]}/tarball", error(451, "a\x1b[31mred\x07 \x9bx\u202e b\nc"))
    assert run(tmp_path) == 1
    said = capsys.readouterr()
    told = read_index(tmp_path / "archives")["lab-bob"]["error"]
    assert told == "gh: a [31mred x b c (HTTP 451)"
    assert all(line.isprintable() for line in (said.out + said.err).splitlines()) and told in said.err


# What is in the way on this machine


def test_a_folder_in_an_archives_place_costs_nobody_else(
    github: FakeGitHub, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "archives" / "lab-ada.tar.gz"
    place.mkdir(parents=True)
    assert run(tmp_path) == 1
    assert sorted(path.name for path in place.parent.iterdir()) == [
        *(f"lab-{who}.tar.gz" for who in ("ada", "bob", "cyd")), INDEX
    ]  # fmt: skip
    index = read_index(tmp_path / "archives")
    assert index["lab-ada"]["error"] == f"can't write {place}: Is a directory"
    assert index["lab-bob"]["error"] == index["lab-cyd"]["error"] == ""
    assert f"Not collected: {NAMES[0]}: can't write {place}: Is a directory\n" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
@pytest.mark.parametrize("end", ["| head -0", "2>&1 | head -0", ">&-", ">&- 2>&-", "> /dev/full", "> /dev/full 2>&1"])
@pytest.mark.parametrize("command", ["collect", "comment"])
def test_nobody_need_read_what_is_printed(github: FakeGitHub, tmp_path: Path, command: str, end: str) -> None:
    """All are collected, and all get their comment, wherever what is printed goes."""
    if "full" in end and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    github.say(f"repos/{NAMES[1]}/tarball", UNAVAILABLE, {"file": str(github.here / "course lab-bob.tar.gz")})
    kept = [github.has_pull_request(name) for name in NAMES]
    arguments = feedback_for(tmp_path, "text", *(name.partition("/")[2] for name in NAMES))
    if command == "collect":
        arguments = ["--list", str(tmp_path / "list.txt"), "--out", str(tmp_path / "new")]
    line = shlex.join([sys.executable, "-m", "grader", command, *arguments])
    done = subprocess.run(
        ["bash", "-c", f"({line}; echo $? > {tmp_path}/status) {end}"],
        cwd=ROOT,
        timeout=60,
        capture_output=True,
        text=True,
    )
    assert (tmp_path / "status").read_text(encoding="utf-8") == "0\n" and "Traceback" not in done.stderr
    if command == "collect":
        assert all(not entry["error"] for entry in read_index(tmp_path / "new").values())
    else:
        assert [bodies(path) for path in kept] == [[f"{MARKER}\ntext"]] * 3


# What there is to collect


@pytest.mark.parametrize("message", ["Conflict", "Git Repository is currently unavailable.", "is empty of meaning"])
@pytest.mark.parametrize("which", ["tarball", "commits?per_page=1"])
def test_only_an_empty_repository_is_said_to_be_empty(
    github: FakeGitHub, waits: list[float], tmp_path: Path, which: str, message: str
) -> None:
    """Any other conflict would take a score for nothing."""
    github.say(f"repos/{NAMES[1]}/tarball", error(404, "Not Found"))
    github.say(f"repos/{NAMES[1]}/{which}", error(409, message))
    assert run(tmp_path) == 1
    entry = read_index(tmp_path / "archives")["lab-bob"]
    assert not entry["empty"] and f"gh: {message} (HTTP 409)" in entry["error"]


@pytest.mark.parametrize(
    "second",
    [error(500, "Server Error"), error(502, "Bad Gateway"), {"body": "<html>"}, NO_NETWORK, error(451, "blocked")],
)
def test_an_answer_that_did_not_come_is_not_taken_for_a_missing_repository(
    github: FakeGitHub, waits: list[float], tmp_path: Path, second: dict[str, Any]
) -> None:
    github.say(f"repos/{NAMES[1]}/tarball", error(404, "Not Found"))
    github.say(f"repos/{NAMES[1]}/commits?per_page=1", second)
    assert run(tmp_path) == 1
    told = read_index(tmp_path / "archives")["lab-bob"]["error"]
    assert told.startswith("gh: Not Found (HTTP 404)") and "no such repository" not in told
    assert second.get("error", "the answer can't be used") in told


@pytest.mark.parametrize("answer", [{"status": 400, "error": "HTTP 400"}, error(404, "Not Found"), EMPTY])
def test_an_empty_repository_is_no_fault(
    github: FakeGitHub, tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: dict[str, Any]
) -> None:
    github.say(f"repos/{NAMES[1]}/tarball", answer)
    github.say(f"repos/{NAMES[1]}/commits?per_page=1", EMPTY)
    assert run(tmp_path) == 0
    entry = read_index(tmp_path / "archives")["lab-bob"]
    assert entry["empty"] is True and entry["error"] == "" and "lab-bob.tar.gz" not in archives_in(tmp_path)
    assert capsys.readouterr().out.endswith(f"Collected 2 of 3 repositories.\nEmpty: {NAMES[1]}\n")


def test_a_missing_tag_and_a_missing_repository_are_told_apart(github: FakeGitHub, tmp_path: Path) -> None:
    github.has(NAMES[0], NEW, ref="/release/v1%23")
    github.say(f"repos/{NAMES[1]}/commits?per_page=1", {"body": "[{}]"})
    assert run(tmp_path, "--ref", "release/v1#") == 1
    index = read_index(tmp_path / "archives")
    assert index["lab-ada"]["error"] == ""
    assert index["lab-bob"]["error"].endswith("it has no branch, tag or commit release/v1#")
    assert index["lab-cyd"]["error"].endswith("there is no such repository, or the token may not read it")
    assert not index["lab-bob"]["empty"] and not index["lab-cyd"]["empty"]


def test_the_index_says_which_commit_and_when(github: FakeGitHub, tmp_path: Path) -> None:
    """One request each: both stand in the archive, and so they are of the archive."""
    files = {"course-lab-ada-a2575fb/starter/scheduler.py": b""}
    github.has(NAMES[0], archive(files, commit=COMMIT, when=NOW))
    github.has(NAMES[1], archive(files, when=NOW))
    github.has(NAMES[2], archive({"no-commit/x": b""}))
    assert run(tmp_path) == 0 and len(github.asked()) == 3
    index = read_index(tmp_path / "archives")
    found = {student: (entry["commit"], entry["committed_at"]) for student, entry in index.items()}
    when = "2027-01-15T08:00:00+00:00"
    assert found == {"lab-ada": (COMMIT, when), "lab-bob": ("a2575fb", when), "lab-cyd": ("", "")}


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_what_git_archives_names_its_commit(github: FakeGitHub, tmp_path: Path) -> None:
    def git(*words: str) -> bytes:
        names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        stamp = {"GIT_COMMITTER_DATE": "2026-11-30T12:00:00+02:00"}
        command = ["git", "-C", str(tmp_path / "repository"), *names, *words]
        return subprocess.run(command, env={**os.environ, **stamp}, capture_output=True, check=True).stdout

    (tmp_path / "repository").mkdir()
    git("init")
    git("commit", "--allow-empty", "-m", "x")
    github.has(NAMES[0], git("archive", "--format=tar.gz", "--prefix=course-lab-ada-1234567/", "HEAD"))
    assert run(tmp_path) == 0
    entry = read_index(tmp_path / "archives")["lab-ada"]
    assert (entry["commit"], entry["committed_at"]) == (
        git("rev-parse", "HEAD").decode().strip(),
        "2026-11-30T10:00:00+00:00",
    )


def test_the_students_of_an_organisation(
    github: FakeGitHub, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over all pages; what the prefix takes in besides is left out, and named."""
    monkeypatch.setenv("GITHUB_REPOSITORY", "course/lab-staff")
    names = ["lab-ada", "lab-template", "lab-", "LAB-bob", "lab-staff", "other", "lab-cyd"]
    listing = [{"full_name": f"course/{name}", "is_template": name == "lab-template"} for name in names]
    more = {"Link": '<https://api.github.com/x?page=2>; rel="next", <https://api.github.com/x?page=2>; rel="last"'}
    github.say("orgs/course/repos?per_page=100&page=1", {"body": json.dumps(listing[:4]), "headers": more})
    github.say("orgs/course/repos?per_page=100&page=2", {"body": json.dumps(listing[3:])})  # one came in meanwhile
    github.has("course/LAB-bob", NEW)
    assert collect(["--org", "course", "--prefix", "lab-", "--out", str(tmp_path / "archives")]) == 0
    assert set(read_index(tmp_path / "archives")) == {"lab-ada", "LAB-bob", "lab-cyd"}
    assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("Left out")] == [
        "Left out: course/lab-template: it is a template",
        "Left out: course/lab-: its name is the prefix and nothing more",
        "Left out: course/lab-staff: this workflow runs in it",
    ]


def test_a_list_of_repositories(tmp_path: Path) -> None:
    path = tmp_path / "list.txt"
    for start, end in (("", "\n"), ("\ufeff", "\r\n")):
        lines = ["# class", "a/lab", "", "b/lab  # late", "a/lab", "A/Lab", "a/-x", "a/.x", ""]
        path.write_bytes((start + end.join(lines)).encode())
        assert listed(path) == ["a/lab", "b/lab", "a/-x", "a/.x"]
    for line in ("--help", "a/b/c", "a/..", "a/.", "a/../b", "a", "a b/c", "-a/b", "a/b;ls", "https://github.com/a/b"):
        path.write_text(line, encoding="utf-8")
        with pytest.raises(UsageError, match=r"line 1: .* is not of the form OWNER/NAME"):
            listed(path)


def test_names_of_files_are_safe_and_unique() -> None:
    """Not hidden, allowed on Windows, different where capitals count for nothing; ordinary names stay as they are."""
    ordinary = ["o/lab-ada", "o/x.tar.gz", "o/console", "o/lpt", "o/a.b", "o/-x", "o/_", "o/o--lab"]
    odd = ["o/.x", "o/..x", "o/x.", "o/x", "o/con", "o/NUL.txt", "o/com1", "o/Lab", "p/lab", "p/.X", "o/o.", "o/..."]
    students = student_names(ordinary + odd)
    assert sorted(students.values()) == sorted(ordinary + odd)
    assert len({student.casefold() for student in students}) == len(students)
    assert {name: student for student, name in students.items() if name in ordinary} == {
        name: name.partition("/")[2] for name in ordinary
    }
    for student in students:
        assert not student.startswith(".") and not student.endswith("."), student
        assert student.partition(".")[0].casefold() not in {"con", "nul", "com1"}, student
    assert {student: name for student, name in students.items() if name in ("o/.x", "o/x.", "o/Lab")} == {
        "o+.x": "o/.x", "o+x.+": "o/x.", "o+Lab": "o/Lab"
    }  # fmt: skip


# Wrong usage: one sentence, exit status 2


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--list", "missing.txt"], "can't read the list missing.txt: No such file or directory"),
        (["--list", "."], "can't read the list .: Is a directory"),
        (["--list", "latin.txt"], "the list latin.txt is not UTF-8"),
        (["--list", "utf16.txt"], "the list utf16.txt is not UTF-8"),
        (["--list", "bad.txt"], "bad.txt, line 2: 'x' is not of the form OWNER/NAME"),
        (["--list", "empty.txt"], "there is no repository to collect in empty.txt"),
        (["--list", "list.txt", "--out", "empty.txt"], "can't write to empty.txt: File exists"),
        (["--list", "list.txt", "--out", "empty.txt/below"], "can't write to empty.txt/below: Not a directory"),
        (["--list", "list.txt", "--out", "taken"], "can't write to taken: Is a directory"),
        (["--org", "a b"], "'a b' is not the name of an organisation"),
        (["--org", "nobody"], "gh can't list the repositories of nobody: gh: Not Found (HTTP 404)"),
        (["--org", "course"], "there is no repository to collect of course that starts with ''"),
    ],
)
def test_wrong_usage_is_one_sentence(
    github: FakeGitHub,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    github.say("orgs/course/repos?per_page=100&page=1", {"body": "[]"})
    Path("empty.txt").write_text("# nobody\n", encoding="utf-8")
    Path("bad.txt").write_text("a/b\nx\n", encoding="utf-8")
    Path("latin.txt").write_bytes("a/b # J\xf6rg\n".encode("latin-1"))
    Path("utf16.txt").write_bytes("a/b\n".encode("utf-16"))
    Path("taken", INDEX).mkdir(parents=True)
    assert collect(["--out", "archives", *options]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"collect: {sentence}") and said.count("\n") == 1
    assert not Path("archives").exists() and not list(Path("taken").glob(".*"))


def test_without_gh(
    github: FakeGitHub, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (github.bin / "gh").unlink()
    monkeypatch.setenv("PATH", str(github.bin))
    (tmp_path / "feedback").mkdir()
    assert run(tmp_path) == 2
    assert capsys.readouterr().err.startswith("collect: can't start gh (No such file or directory); https://cli.github")
    assert archives_in(tmp_path) == {}
    assert comment([str(tmp_path / "archives"), str(tmp_path / "feedback")]) == 2
    assert capsys.readouterr().err.startswith("comment: can't start gh (No such file or directory)")


@pytest.mark.parametrize("answer", [error(401, "Bad credentials"), {"status": 0, "error": "gh auth login", "exit": 4}])
def test_without_a_valid_token(
    github: FakeGitHub, waits: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: dict[str, Any]
) -> None:
    """Nothing more is asked; an archive that is there stays."""
    github.has(NAMES[1], OLD)
    assert run(tmp_path) == 0
    github.say(f"repos/{NAMES[0]}/tarball", answer)
    capsys.readouterr()
    before = len(github.asked())
    assert run(tmp_path) == 2 and not waits and len(github.asked()) == before + 1
    assert capsys.readouterr().err.startswith("collect: GitHub wants a token that is valid, in GH_TOKEN or by")
    assert archives_in(tmp_path)["lab-bob.tar.gz"] == OLD


@pytest.mark.parametrize(
    "text",
    [None, "", "{", "[]", "null", '{"a": 1}', '{"a": {"error": ""}}', '{"a": {"repository": "a/b", "error": null}}',
     '{"../a": {"repository": "a/b", "error": ""}}', '{"": {"repository": "a/b", "error": ""}}', "[" * 100_000, "\xff"],
)  # fmt: skip
def test_a_folder_without_an_index_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | None
) -> None:
    if text is not None:
        (tmp_path / INDEX).write_bytes(text.encode("latin-1"))
    assert comment([str(tmp_path), str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said.startswith("comment: ") and INDEX in said and said.count("\n") == 1


def test_collecting_and_commenting_need_no_package() -> None:
    """Their jobs install nothing, so that nothing of others runs where a token is."""
    names = "grader.cli, grader.classroom.collect, grader.classroom.comment"
    code = f"import sys; sys.modules['batching_lab'] = None; import {names}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert not {"pytest", "yaml", "landlock"} & set(done.stdout.split())


# Comments


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_stopped_run_of_comments_says_so(github: FakeGitHub, tmp_path: Path) -> None:
    github.say("graphql", {"hangs": True})
    command = [sys.executable, "-m", "grader", "comment", *feedback_for(tmp_path, "text", "lab-ada")]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, encoding="utf-8") as process:
        wait_until_gh_hangs(github, process)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and said.count("\n") == 1 and "stopped" in said


def feedback_for(tmp_path: Path, text: str, *students: str, **entry: Any) -> list[str]:
    """The arguments of `comment`, with the feedback `text` for each."""
    for folder in ("archives", "feedback"):
        (tmp_path / folder).mkdir(exist_ok=True)
    index = {student: {"repository": f"course/{student}", "error": "", **entry} for student in students}
    (tmp_path / "archives" / INDEX).write_text(json.dumps(index), encoding="utf-8")
    for student in students:
        (tmp_path / "feedback" / f"{student}.md").write_text(text, encoding="utf-8")
    return [str(tmp_path / "archives"), str(tmp_path / "feedback")]


def bodies(kept: Path) -> list[str]:
    return [comment["body"] for comment in json.loads(kept.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("others", [0, 150])
def test_two_runs_make_one_comment(
    github: FakeGitHub, waits: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str], others: int
) -> None:
    """Wherever it stands among others; and one that is not ours is not touched, though it has the marker in it."""
    forged = {"id": 1, "body": f"{MARKER}\nfull marks", "user": {"login": "lab-ada"}}
    gone = {"id": 2, "body": f"{MARKER}\nof somebody who left", "user": None}
    quoted = {"id": 3, "body": f"By hand, about {MARKER}", "user": {"login": ME}}
    rest = [{"id": 10 + n, "body": "x", "user": {"login": "bob"}} for n in range(others)]
    kept = github.has_pull_request("course/lab-ada", [forged, gone, quoted, *rest])
    before = bodies(kept)
    assert comment(feedback_for(tmp_path, "first ü", "lab-ada")) == 0
    assert bodies(kept) == [*before, f"{MARKER}\nfirst ü"]
    assert comment(feedback_for(tmp_path, "second", "lab-ada")) == 0
    assert bodies(kept) == [*before, f"{MARKER}\nsecond"]
    assert capsys.readouterr().out == "lab-ada: posted\nlab-ada: edited\n"


def test_a_post_whose_answer_got_lost_is_not_made_twice(github: FakeGitHub, waits: list[float], tmp_path: Path) -> None:
    kept = github.has_pull_request("course/lab-ada")
    kept.with_suffix(".lost").touch()
    assert comment(feedback_for(tmp_path, "text", "lab-ada")) == 0
    assert bodies(kept) == [f"{MARKER}\ntext"]


def test_what_was_posted_stays_if_nothing_was_collected(
    github: FakeGitHub, waits: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = github.has_pull_request("course/lab-ada")
    assert comment(feedback_for(tmp_path, "90 of 90", "lab-ada")) == 0
    assert comment(feedback_for(tmp_path, "No score yet.", "lab-ada", error="API rate limit exceeded")) == 1
    assert bodies(kept) == [f"{MARKER}\n90 of 90"]
    assert capsys.readouterr().out.endswith("lab-ada: not collected; what was posted before stays\n")


def test_one_failing_comment_stops_nobody_elses(
    github: FakeGitHub, waits: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit status says that one failed; a student without a pull request is no failure."""
    arguments = feedback_for(tmp_path, "text", "lab-ada", "lab-bob", "lab-cyd", "lab-dan")
    for student in ("lab-ada", "lab-dan"):
        github.has_pull_request(f"course/{student}")
    github.say("repos/course/lab-bob/pulls?state=open&sort=created&direction=asc&per_page=1", DENIED)
    github.say("repos/course/lab-cyd/pulls?state=open&sort=created&direction=asc&per_page=1", {"body": "[]"})
    assert comment(arguments) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "lab-ada: posted" and said[1].startswith("lab-bob: gh: Resource not accessible")
    assert said[2:] == ["lab-cyd: it has no open pull request", "lab-dan: posted"]
    github.say("repos/course/lab-bob/pulls?state=open&sort=created&direction=asc&per_page=1", {"body": "[]"})
    assert comment(arguments) == 0
    (tmp_path / "feedback" / "lab-dan.md").unlink()
    assert comment(arguments) == 1
    assert "lab-dan: there is no feedback that can be read in " in capsys.readouterr().out


@pytest.mark.parametrize("pull", [{}, {"number": None}, {"number": "7"}])
def test_a_pull_request_without_a_number_is_one_students_error(
    github: FakeGitHub, waits: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str], pull: dict[str, Any]
) -> None:
    arguments = feedback_for(tmp_path, "text", "lab-ada", "lab-bob")
    pulls = "repos/course/lab-ada/pulls?state=open&sort=created&direction=asc&per_page=1"
    github.say(pulls, {"body": json.dumps([pull])})
    kept = github.has_pull_request("course/lab-bob")
    assert comment(arguments) == 1 and len(bodies(kept)) == 1
    assert capsys.readouterr().out == ("lab-ada: the answer can't be used: it names no number\nlab-bob: posted\n")


@pytest.mark.parametrize("odd", [{}, {"id": None}, {"id": "../x"}, {"user": ME}, {"user": [ME]}])
def test_an_odd_comment_is_one_students_error(
    github: FakeGitHub, waits: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str], odd: dict[str, Any]
) -> None:
    """One of ours without an id can't be edited, and no second one is made; whose author is not known is not ours."""
    arguments = feedback_for(tmp_path, "text", "lab-ada", "lab-bob")
    ada = github.has_pull_request("course/lab-ada", [{"body": f"{MARKER}\nold", "user": {"login": ME}, **odd}])
    bob = github.has_pull_request("course/lab-bob")
    is_ours = "user" not in odd
    assert comment(arguments) == int(is_ours) and len(bodies(bob)) == 1
    assert len(bodies(ada)) == (1 if is_ours else 2)
    told = "the answer can't be used: it names no id" if is_ours else "posted"
    assert capsys.readouterr().out == f"lab-ada: {told}\nlab-bob: posted\n"


def test_a_limit_while_commenting(github: FakeGitHub, waits: list[float], tmp_path: Path) -> None:
    """A short one is waited for; after a long one nothing more is asked."""
    arguments = feedback_for(tmp_path, "text", "lab-ada", "lab-bob")
    kept = [github.has_pull_request(f"course/{student}") for student in ("lab-ada", "lab-bob")]
    github.say("repos/course/lab-ada/issues/7/comments?per_page=100&page=1", PRIMARY, {"body": "[]"})
    assert comment(arguments) == 0 and 91 in waits
    assert [len(bodies(path)) for path in kept] == [1, 1]
    github.say("repos/course/lab-ada/issues/7/comments?per_page=100&page=1", *[SECONDARY] * 20)
    before = len(github.asked())
    assert comment(arguments) == 1 and not any("lab-bob" in endpoint for endpoint in github.asked()[before:])
