"""`python -m grader propose-update`, with a program `gh` of our own and bare repositories; GitHub itself is not run."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.classroom.comment import SECONDS_BETWEEN_POSTS
from grader.cli import main
from grader.release.build import EDITABLE, MANIFEST, manifest, release_files, write_files

GH = """#!/bin/sh
"exec" "{python}" "$0" "$@"  # read by the shell; a path behind #! can have no blanks
import json, os, pathlib, re, subprocess, sys
here, words = pathlib.Path({here!r}), sys.argv[1:]
if words[:2] == ["repo", "clone"]:
    sys.exit(subprocess.run(["git", "clone", *words[5:], here / f"{{words[2]}}.git", words[3]]).returncode)
store = here / "pulls.json"
every = json.loads(store.read_text("utf-8"))
fields = dict(word.split("=", 1) for before, word in zip(words, words[1:]) if before == "--raw-field")
endpoint, method = words[1], words[words.index("--method") + 1] if "--method" in words else "GET"
with (here / "asked.txt").open("a", encoding="utf-8") as asked:
    asked.write(method + "\\n")

def reply(status, answer, headers="", error=""):
    if "--include" in words:
        print(f"HTTP/2.0 {{status}} Words\\n{{headers}}\\r\\n", end="")
    paint = "\\033[1;37m" if os.environ.get("CLICOLOR_FORCE", "0") != "0" else ""
    print(paint + json.dumps(answer))
    sys.exit(f"gh: {{error}} (HTTP {{status}})" if error else 0)

def is_ahead(repository, base, head):
    command = ["git", "rev-list", "--count", f"{{base}}..{{head}}"]
    environment = {{name: value for name, value in os.environ.items() if not name.startswith("GIT_")}}
    done = subprocess.run(command, cwd=here / f"{{repository}}.git", env=environment, capture_output=True, check=True)
    return done.stdout != b"0\\n"

refused = here / f"refuse {{method}}"
if refused.exists():
    status, headers, error, times = json.loads(refused.read_text("utf-8"))
    if times == 1:
        refused.unlink()
    else:
        refused.write_text(json.dumps([status, headers, error, times - 1]), "utf-8")
    reply(status, {{"message": error}}, headers, error)
elif match := re.fullmatch(r"repos/(.*)/pulls[?]state=open&per_page=100", endpoint):
    reply(200, [pull for pull in every.get(match[1], []) if pull["state"] == "open"])
elif match := re.fullmatch(r"repos/(.*)/pulls", endpoint):
    assert method == "POST"
    if not is_ahead(match[1], fields["base"], fields["head"]):
        reply(422, {{}}, "", "Validation Failed")
    repository = {{"full_name": match[1]}}
    number = len(every.get(match[1], [])) + 1
    pull = {{"number": number, "html_url": f"https://example.org/{{match[1]}}/pull/{{number}}", "state": "open"}}
    pull |= {{end: {{"ref": fields.pop(end), "repo": repository}} for end in ("head", "base")}} | fields
    every.setdefault(match[1], []).append(pull)
    store.write_text(json.dumps(every), "utf-8")
    reply(201, pull)
elif match := re.fullmatch(r"repos/(.*)/pulls/(\\d+)", endpoint):
    assert method == "PATCH"
    every[match[1]][int(match[2]) - 1] |= fields
    store.write_text(json.dumps(every), "utf-8")
    reply(200, every[match[1]][int(match[2]) - 1])
else:
    sys.exit("gh: unknown command")
"""
FOR_EVER = 1000

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a program made of a script")


# Of the release: enough to show what an update does. Each is a process of git's where it is read again.
FILES = (
    *EDITABLE,
    "README.md",
    "handout.md",
    "pyproject.toml",
    ".gitignore",
    ".gitattributes",
    ".github/workflows/classroom.yml",
    ".github/lab.zip",
    "tests/test_part1_batching.py",
    "starter/batching_lab/loop.py",
)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    release = release_files()
    return {name: release[name] for name in FILES}


def version_of(files: dict[str, bytes], version: str, **changed: bytes) -> dict[str, bytes]:
    """A release with this version, and a handout of its own."""
    new = {name: content for name, content in files.items() if name != MANIFEST}
    new |= {"handout.md": f"handout of {version}".encode(), **changed}
    return {**new, MANIFEST: manifest(new, version).encode()}


class GitHub:
    """A folder with bare repositories, the pull requests in them, and `gh` on the path."""

    def __init__(self, here: Path) -> None:
        self.here = here
        (here / "bin").mkdir(parents=True)
        (here / "bin" / "gh").write_text(GH.format(python=sys.executable, here=str(here)), encoding="utf-8")
        (here / "bin" / "gh").chmod(0o755)
        (here / "pulls.json").write_text("{}", encoding="utf-8")

    def refuse(self, method: str, status: int, error: str, headers: str = "", times: int = FOR_EVER) -> None:
        content = json.dumps([status, headers, error, times])
        (self.here / f"refuse {method}").write_text(content, encoding="utf-8")

    def accept(self, method: str) -> None:
        (self.here / f"refuse {method}").unlink()

    def asked(self) -> list[str]:
        return (self.here / "asked.txt").read_text(encoding="utf-8").split()

    def add(self, name: str, files: dict[str, bytes]) -> None:
        work = self.here / "work" / name
        write_files(files, work)
        git(work, "init", "-q", "-b", "main")
        git(work, "add", "-A", "-f")
        git(work, "commit", "-q", "-m", "From the template")
        git(work, "clone", "-q", "--bare", str(work), str(self.here / f"{name}.git"))

    def commit(self, name: str, branch: str, changed: dict[str, bytes]) -> None:
        """By the student."""
        work = self.here / "work" / name
        git(work, "fetch", "-q", str(self.here / f"{name}.git"), branch)
        git(work, "checkout", "-q", "--detach", "FETCH_HEAD")
        write_files(changed, work)
        git(work, "add", "-A", "-f")
        git(work, "commit", "-q", "-m", "Mine")
        git(work, "push", "-q", str(self.here / f"{name}.git"), f"HEAD:refs/heads/{branch}")

    def merge(self, name: str, branch: str, *options: str) -> None:
        """By the student, who leaves the branch where it is."""
        work, bare = self.here / "work" / name, str(self.here / f"{name}.git")
        git(work, "fetch", "-q", bare, "+refs/heads/*:refs/remotes/origin/*")
        git(work, "checkout", "-q", "--detach", "origin/main")
        git(work, "merge", "-q", *options, f"origin/{branch}")
        if "--squash" in options:
            git(work, "commit", "-q", "-m", "Squashed")
        git(work, "push", "-q", bare, "HEAD:refs/heads/main")
        for pull in (pulls := self.every_pull())[name]:
            pull["state"] = "closed"
        (self.here / "pulls.json").write_text(json.dumps(pulls), encoding="utf-8")

    def every_pull(self) -> dict[str, list[dict[str, str]]]:
        found: dict[str, list[dict[str, str]]] = json.loads((self.here / "pulls.json").read_text("utf-8"))
        return found

    def files(self, name: str, branch: str = "main") -> dict[str, bytes]:
        bare = self.here / f"{name}.git"
        names = git(bare, "ls-tree", "-r", "--name-only", branch).decode().splitlines()
        return {path: git(bare, "show", f"{branch}:{path}") for path in names}

    def branches(self, name: str) -> list[str]:
        return git(self.here / f"{name}.git", "branch", "--format=%(refname:short)").decode().split()

    def pulls(self, name: str) -> list[dict[str, str]]:
        return self.every_pull().get(name, [])


def git(folder: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True).stdout


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitHub:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "x")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "x@example.org")
    github = GitHub(tmp_path / "github")
    monkeypatch.setenv("PATH", os.pathsep.join([str(github.here / "bin"), os.environ["PATH"]]))
    return github


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits that are made, in no time."""
    made: list[float] = []
    clock = SimpleNamespace(sleep=made.append, time=lambda: 0.0)
    monkeypatch.setattr("grader.classroom.github.time", clock)
    monkeypatch.setattr("grader.classroom.propose.time", clock)
    return made


def run(github: GitHub, monkeypatch: pytest.MonkeyPatch, release: dict[str, bytes], *names: str) -> int:
    monkeypatch.setattr("grader.classroom.propose.release_files", lambda: release)
    path = github.here / "list.txt"
    path.write_text("\n".join(names), encoding="utf-8")
    return main(["propose-update", "--list", str(path)])


MINE = {"starter/scheduler.py": b"mine\n", "starter/helper.py": b"mine, too\n", "notes.txt": b"of mine\n"}


def test_each_repository_gets_a_pull_request_and_those_that_fail_are_named(
    github: GitHub,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, bytes],
    capsys: pytest.CaptureFixture[str],
) -> None:
    old, new = version_of(files, "old"), version_of(files, "new", **{"tests/added.py": b"", ".gitignore": b"*\n"})
    github.add("course/lab-ada", {**old, **MINE, "tests/test_part1_batching.py": b"changed"})
    github.add("course/lab-bob", new)
    github.add("course/lab-cyd", {"README.md": b"no release"})
    names = ("course/lab-cyd", "course/lab-gone", "course/lab-ada", "course/lab-bob")
    assert run(github, monkeypatch, new, *names) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "course/lab-ada: opened https://example.org/course/lab-ada/pull/1",
        "course/lab-bob: has release new",
        "2 of 4 repositories have this version or a pull request with it.",
    ]
    failed = [line for line in err.splitlines() if line.startswith("Not proposed: ")]
    assert failed[0] == (
        "Not proposed: course/lab-cyd: --update: the repository is no former release: it has no .github/release.json"
    )
    assert failed[1].startswith("Not proposed: course/lab-gone: gh repo: ") and len(failed) == 2
    assert github.files("course/lab-ada") == {**old, **MINE, "tests/test_part1_batching.py": b"changed"}
    assert github.files("course/lab-ada", "lab-update-new") == {**new, **MINE}
    [pull] = github.pulls("course/lab-ada")
    assert "release old -> new" in pull["body"] and "overwritten tests/test_part1_batching.py" in pull["body"]
    assert github.branches("course/lab-bob") == github.branches("course/lab-cyd") == ["main"]


def test_a_second_run_doubles_nothing_and_a_new_version_goes_into_the_same_pull_request(
    github: GitHub,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, bytes],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What the student has committed to its branch in the meantime stays."""
    name, place = "course/lab-ada", "https://example.org/course/lab-ada/pull/1"
    second, third = version_of(files, "second"), version_of(files, "third")
    github.add(name, {**version_of(files, "first"), **MINE})
    said = []
    for release in (second, second):
        assert run(github, monkeypatch, release, name) == 0
        said.append(capsys.readouterr().out.splitlines()[0])
    github.commit(name, "lab-update-second", {"starter/helper.py": b"newer\n"})
    assert run(github, monkeypatch, third, name) == 0
    said.append(capsys.readouterr().out.splitlines()[0])
    assert said == [f"{name}: opened {place}", f"{name}: has {place}", f"{name}: renewed {place}"]
    [pull] = github.pulls(name)
    assert pull["title"] == "Release third of the lab" and "release first -> third" in pull["body"]
    assert github.branches(name) == ["lab-update-second", "main"]
    assert github.files(name, "lab-update-second") == {**third, **MINE, "starter/helper.py": b"newer\n"}
    assert git(github.here / f"{name}.git", "rev-list", "--count", "lab-update-second") == b"4\n"


def test_a_run_that_was_cut_off_is_carried_on(
    github: GitHub,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, bytes],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The branch was pushed, the pull request refused."""
    name = "course/lab-ada"
    github.add(name, version_of(files, "first"))
    github.refuse("POST", 403, "Resource not accessible by integration")
    assert run(github, monkeypatch, version_of(files, "second"), name) == 1
    assert f"Not proposed: {name}: gh: Resource not accessible" in capsys.readouterr().err
    github.accept("POST")
    assert run(github, monkeypatch, version_of(files, "second"), name) == 0
    assert len(github.pulls(name)) == 1
    assert git(github.here / f"{name}.git", "rev-list", "--count", "lab-update-second") == b"2\n"


def test_a_branch_that_does_not_follow_is_not_pushed_over(
    github: GitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    """A branch of that name with nothing of the lab in it: the student's own."""
    name = "course/lab-ada"
    github.add(name, version_of(files, "first"))
    github.commit(name, "main", {"notes.txt": b"of mine\n"})
    git(github.here / f"{name}.git", "branch", "lab-update-second", "main~1")
    github.commit(name, "lab-update-second", {"notes.txt": b"another\n"})
    assert run(github, monkeypatch, version_of(files, "second"), name) == 0
    assert github.files(name, "lab-update-second") == {**version_of(files, "second"), "notes.txt": b"another\n"}
    assert github.files(name)["notes.txt"] == b"of mine\n"


def test_nothing_that_leaks_is_proposed(
    github: GitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    github.add("course/lab-ada", version_of(files, "first"))
    leaking = {**version_of(files, "second"), "starter/key.txt": b"static_d_finish: 7"}
    assert run(github, monkeypatch, leaking, "course/lab-ada") == 3
    assert github.branches("course/lab-ada") == ["main"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give either --list or --org"),
        (["--list", "x", "--org", "y"], "give either --list or --org"),
        (["--list", "absent.txt"], "can't read the list absent.txt"),
        (["--list", os.devnull], "there is no repository"),
    ],
)
def test_wrong_usage(arguments: list[str], sentence: str, github: GitHub, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["propose-update", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_without_gh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["propose-update", "--org", "course"]) == 2
    assert capsys.readouterr().err == "grader: propose-update needs gh, which is not installed\n"


# After a merge


EDITED = {"tests/test_part1_batching.py": b"edited after the merge\n"}


@pytest.mark.parametrize("renewed", [False, True])
@pytest.mark.parametrize("how", [["--ff-only"], ["--no-ff"], ["--squash"]])
def test_a_branch_that_was_merged_and_not_deleted_gets_a_new_pull_request(
    how: list[str],
    renewed: bool,
    github: GitHub,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, bytes],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The student then edits a test, which the release may have renewed: the branch has the release, the base not."""
    name, place = "course/lab-ada", "https://example.org/course/lab-ada/pull/"
    second = version_of(files, "second", **(dict.fromkeys(EDITED, b"renewed\n") if renewed else {}))
    github.add(name, version_of(files, "first"))
    github.commit(name, "main", MINE)
    assert run(github, monkeypatch, second, name) == 0
    if how != ["--ff-only"]:
        github.commit(name, "main", {"starter/scheduler.py": b"more of mine\n"})
    github.merge(name, "lab-update-second", *how)
    at_first = github.files(name)["starter/scheduler.py"]
    assert run(github, monkeypatch, second, name) == 0
    github.commit(name, "main", EDITED)
    capsys.readouterr()
    assert run(github, monkeypatch, second, name) == run(github, monkeypatch, second, name) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith(name)]
    assert said == [f"{name}: opened {place}2", f"{name}: has {place}2"]
    proposed = {**second, **MINE, "starter/scheduler.py": at_first}
    assert github.files(name, "lab-update-second") == proposed
    assert github.files(name) == {**proposed, **EDITED}
    github.merge(name, "lab-update-second")
    assert github.files(name) == proposed


def test_a_student_settles_a_conflict_with_own_files(
    github: GitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    """The branch of a run that was cut off has commits of the student, and so has the base: both stay as they are."""
    name, second = "course/lab-ada", version_of(files, "second")
    github.add(name, version_of(files, "first"))
    github.refuse("POST", 403, "Resource not accessible by integration")
    assert run(github, monkeypatch, second, name) == 1
    github.accept("POST")
    for branch in ("main", "lab-update-second"):
        github.commit(name, branch, {"starter/scheduler.py": f"mine on {branch}\n".encode(), **EDITED})
    assert run(github, monkeypatch, second, name) == 0
    assert github.files(name, "lab-update-second") == {**second, "starter/scheduler.py": b"mine on lab-update-second\n"}
    assert github.files(name)["starter/scheduler.py"] == b"mine on main\n" and len(github.pulls(name)) == 1


def test_a_branch_that_is_the_base_is_no_obstacle(
    github: GitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    """And one behind it."""
    second = version_of(files, "second")
    for name, commits in (("course/lab-ada", 0), ("course/lab-bob", 1)):
        github.add(name, version_of(files, "first"))
        git(github.here / f"{name}.git", "branch", "lab-update-second")
        for _ in range(commits):
            github.commit(name, "main", MINE)
        assert run(github, monkeypatch, second, name) == 0
        assert github.files(name, "lab-update-second") == {**second, **(MINE if commits else {})}
        assert len(github.pulls(name)) == 1


# What GitHub says


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("status", "headers", "error"),
    [
        (429, "Retry-After: 7\r\n", "Too Many Requests"),
        (403, "Retry-After: 7\r\n", "You have exceeded a secondary rate limit"),
    ],
)
def test_a_rate_limit_is_waited_for(
    method: str,
    status: int,
    headers: str,
    error: str,
    github: GitHub,
    waits: list[float],
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, bytes],
) -> None:
    github.add("course/lab-ada", version_of(files, "first"))
    github.refuse(method, status, error, headers, times=2)
    assert run(github, monkeypatch, version_of(files, "second"), "course/lab-ada") == 0
    assert waits == [7, 7, SECONDS_BETWEEN_POSTS] and len(github.pulls("course/lab-ada")) == 1


def test_nothing_more_is_asked_where_the_rate_limit_lasts(
    github: GitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["course/lab-ada", "course/lab-bob"]
    for name in names:
        github.add(name, version_of(files, "first"))
    github.refuse("GET", 429, "Too Many Requests", "Retry-After: 999999\r\n")
    assert run(github, monkeypatch, version_of(files, "second"), *names) == 1
    err = capsys.readouterr().err
    assert all(f"Not proposed: {name}: gh: Too Many Requests (HTTP 429); not tried again" in err for name in names)
    assert github.asked() == ["GET"]


def test_there_is_a_pause_after_each_post(
    github: GitHub, waits: list[float], monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    """Also after an edit."""
    names = ["course/lab-ada", "course/lab-bob"]
    for name in names:
        github.add(name, version_of(files, "first"))
    for version in ("second", "second", "third"):
        assert run(github, monkeypatch, version_of(files, version), *names) == 0
    assert waits == [SECONDS_BETWEEN_POSTS] * 4
    assert [word for word in github.asked() if word != "GET"] == ["POST", "POST", "PATCH", "PATCH"]


def test_a_post_that_may_have_been_done_is_not_done_twice(
    github: GitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    """What only asks is asked again."""
    name = "course/lab-ada"
    github.add(name, version_of(files, "first"))
    for method in ("GET", "POST"):
        github.refuse(method, 502, "Bad Gateway", times=1)
    assert run(github, monkeypatch, version_of(files, "second"), name) == 1
    assert f"Not proposed: {name}: gh: Bad Gateway (HTTP 502)" in capsys.readouterr().err
    assert github.asked() == ["GET", "GET", "POST"]
    assert run(github, monkeypatch, version_of(files, "second"), name) == 0
    assert len(github.pulls(name)) == 1


def test_a_pull_request_that_could_not_be_edited_is_edited_by_the_next_run(
    github: GitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    name = "course/lab-ada"
    github.add(name, version_of(files, "first"))
    assert run(github, monkeypatch, version_of(files, "second"), name) == 0
    github.refuse("PATCH", 403, "Resource not accessible by integration")
    assert run(github, monkeypatch, version_of(files, "third"), name) == 1
    github.accept("PATCH")
    assert run(github, monkeypatch, version_of(files, "third"), name) == 0
    [pull] = github.pulls(name)
    assert pull["title"] == "Release third of the lab" and "release first -> third" in pull["body"]


def test_colours_that_are_asked_for_are_no_obstacle(
    github: GitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    github.add("course/lab-ada", version_of(files, "first"))
    assert run(github, monkeypatch, version_of(files, "second"), "course/lab-ada") == 0


# What git is set up with


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_NAMESPACE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"])
def test_a_hooks_variables_name_another_repository(
    variable: str, github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    github.add("course/lab-ada", version_of(files, "first"))
    with monkeypatch.context() as hook:
        hook.setenv(variable, str(tmp_path / "of-a-hook"))
        assert run(github, hook, version_of(files, "second"), "course/lab-ada") == 0
    assert github.files("course/lab-ada", "lab-update-second") == version_of(files, "second")


@pytest.fixture
def unknown(github: GitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Git does not know who commits, and has nothing to guess it from; the settings, to be filled."""
    for variable in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(variable, raising=False)
    settings = tmp_path / "gitconfig"
    settings.write_text("[user]\nuseConfigOnly = true\n", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return settings


@pytest.mark.parametrize("known", ["", "name = Ada\n", "email = ada@example.org\n", "name =\nemail = a@b.org\n"])
def test_it_is_said_once_that_git_does_not_know_who_commits(
    known: str,
    unknown: Path,
    tmp_path: Path,
    github: GitHub,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, bytes],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before anything is asked or cloned. What the folder's own repository is set up with is not for the clones."""
    monkeypatch.setattr("grader.classroom.propose.propose_all", lambda *_: pytest.fail("it went on"))
    here = tmp_path / "here"
    here.mkdir()
    git(here, "init", "-q")
    git(here, "config", "user.name", "Here")
    git(here, "config", "user.email", "here@example.org")
    monkeypatch.chdir(here)
    with unknown.open("a", encoding="utf-8") as file:
        file.write(known)
    assert run(github, monkeypatch, version_of(files, "second"), "course/lab-gone", "course/lab-ada") == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert "git config --global user.name NAME" in err and "git config --global user.email ADDRESS" in err


def test_git_takes_who_commits_from_its_settings(
    unknown: Path, github: GitHub, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes]
) -> None:
    unknown.write_text("[user]\nname = Ada\nemail = ada@example.org\n", encoding="utf-8")
    github.add("course/lab-ada", version_of(files, "first"))
    assert run(github, monkeypatch, version_of(files, "second"), "course/lab-ada") == 0
    bare = github.here / "course" / "lab-ada.git"
    assert git(bare, "log", "-1", "--format=%an %ce", "lab-update-second") == b"Ada ada@example.org\n"
