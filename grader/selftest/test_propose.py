"""`python -m grader propose-update`, with a program `gh` of our own and bare repositories; GitHub itself is not run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from grader.cli import main
from grader.release.build import MANIFEST, manifest, release_files, write_files

GH = """#!/bin/sh
"exec" "{python}" "$0" "$@"  # read by the shell; a path behind #! can have no blanks
import json, pathlib, re, subprocess, sys
here, words = pathlib.Path({here!r}), sys.argv[1:]
store = here / "pulls.json"
every = json.loads(store.read_text("utf-8"))
fields = dict(word.split("=", 1) for before, word in zip(words, words[1:]) if before == "--raw-field")
if words[:2] == ["repo", "clone"]:
    sys.exit(subprocess.run(["git", "clone", *words[5:], here / f"{{words[2]}}.git", words[3]]).returncode)
elif match := re.fullmatch(r"repos/(.*)/pulls[?]state=open&per_page=100", words[1]):
    print(json.dumps([pull for pull in every.get(match[1], []) if pull["state"] == "open"]))
elif match := re.fullmatch(r"repos/(.*)/pulls", words[3]):
    if (here / "refuse").exists():
        sys.exit("gh: Resource not accessible by integration (HTTP 403)")
    repository = {{"full_name": match[1]}}
    number = len(every.get(match[1], [])) + 1
    pull = {{"number": number, "html_url": f"https://example.org/{{match[1]}}/pull/{{number}}", "state": "open"}}
    pull |= {{end: {{"ref": fields.pop(end), "repo": repository}} for end in ("head", "base")}} | fields
    every.setdefault(match[1], []).append(pull)
    store.write_text(json.dumps(every), "utf-8")
    print(json.dumps(pull))
elif match := re.fullmatch(r"repos/(.*)/pulls/(\\d+)", words[3]):
    assert words[2] == "PATCH"
    every[match[1]][int(match[2]) - 1] |= fields
    store.write_text(json.dumps(every), "utf-8")
    print(json.dumps(every[match[1]][int(match[2]) - 1]))
else:
    sys.exit("gh: unknown command")
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a program made of a script")


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return release_files()


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

    def files(self, name: str, branch: str = "main") -> dict[str, bytes]:
        bare = self.here / f"{name}.git"
        names = git(bare, "ls-tree", "-r", "--name-only", branch).decode().splitlines()
        return {path: git(bare, "show", f"{branch}:{path}") for path in names}

    def branches(self, name: str) -> list[str]:
        return git(self.here / f"{name}.git", "branch", "--format=%(refname:short)").decode().split()

    def pulls(self, name: str) -> list[dict[str, str]]:
        found: list[dict[str, str]] = json.loads((self.here / "pulls.json").read_text("utf-8")).get(name, [])
        return found


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


def run(github: GitHub, monkeypatch: pytest.MonkeyPatch, release: dict[str, bytes], *names: str) -> int:
    monkeypatch.setattr("grader.release.command.release_files", lambda: release)
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
    (github.here / "refuse").touch()
    assert run(github, monkeypatch, version_of(files, "second"), name) == 1
    assert f"Not proposed: {name}: gh api: gh: Resource not accessible" in capsys.readouterr().err
    (github.here / "refuse").unlink()
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
