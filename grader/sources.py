"""Which files of the lab are taken for a release or a bundle: those that git tracks."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from grader.options import UsageError

GIT_SECONDS = 60
KEPT = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_", "GIT_SSH", "GIT_SSL_")  # who commits, how git is set up
NO_SETTINGS: Mapping[str, str] = {}
MAX_SENTENCES = 20
# Where git can't be asked, as in an unpacked archive of the lab: what a file of the lab may be called.
NAMES = (
    "starter/answers.toml",
    "starter/kv_allocator.py",
    "starter/report.md",
    "starter/scheduler.py",
    "starter/batching_lab/*.py",
    "starter/batching_lab/*/*.py",
    "starter/batching_lab/*/*/*.py",
    "starter/batching_lab/py.typed",
    "starter/batching_lab/model/micro/MODEL_CARD.md",
    "starter/batching_lab/model/micro/config.json",
    "starter/batching_lab/model/micro/model.safetensors",
    "tests/test_part*.py",
    "handout.md",
    "handout.zh.md",
    "LICENSE",
    "grader/*.md",
    "grader/*.py",
    "grader/*.toml",
    "grader/*/*.py",
    "grader/*/*.toml",
    "grader/hidden/pytest.ini",
    "grader/*/files/*",
)


class GitError(Exception):
    """Git does not say which files it tracks."""


class NoRepository(GitError):
    """There is none here, or none that git could be asked about."""


def lab_files(root: Path, places: Iterable[str]) -> list[str]:
    """The files of the lab that are or lie in these places below `root`, with slashes, sorted.

    Raises `UsageError` if git tracks one that is not there, and if git refuses to say what it tracks.
    """
    try:
        names = tracked(root, places)
    except NoRepository:
        names = [name for name in present(root, places) if has_a_name_of_the_lab(name)]
    for name in names:
        if not (root / name).is_file():
            raise UsageError(f"git tracks {name}, but there is no such file in {root}: git restore {name}")
    return sorted(names)


def sentences(root: Path, places: Iterable[str], made_from: Iterable[str] = ()) -> list[str]:
    """What whoever releases should know: what is left out, and what is taken though it was not committed.

    made_from  places of further files that something is made from
    """
    try:
        names = set(tracked(root, [*places, *made_from]))
        left_out = ask(root, "ls-files", "-z", "--others", "--exclude-standard", "--", *places)
        told = [f"left out, since git does not track it: {name}" for name in left_out]
        told += [f"taken as it is here, not as it was committed: {name}" for name in changed(root, names)]
    except NoRepository as error:
        here = present(root, places)
        left_out = [name for name in here if not has_a_name_of_the_lab(name)]
        taken = f"{len(here) - len(left_out)} files are taken by name"
        told = [f"git does not say what belongs to the lab ({error}), so the files' names decide: {taken}"]
        told += [f"left out, since no file of the lab has such a name: {name}" for name in left_out]
    if len(told) > MAX_SENTENCES:
        told[MAX_SENTENCES:] = [f"and {len(told) - MAX_SENTENCES} more"]
    return told


def tracked(root: Path, places: Iterable[str]) -> list[str]:
    names = list(dict.fromkeys(ask(root, "ls-files", "-z", "--", *places)))
    if not names:
        raise NoRepository("it tracks nothing here")
    return names


def ask(root: Path, *arguments: str) -> list[str]:
    """The names that git prints. Raises `NoRepository`, or `UsageError` where git has a repository and refuses.

    The names would decide there, too, and take what the staff has not added.
    """
    try:
        return git(root, *arguments)
    except NoRepository:
        raise
    except GitError as error:
        if not any(os.path.lexists(folder / ".git") for folder in (root.resolve(), *root.resolve().parents)):
            raise NoRepository(str(error)) from None
        raise UsageError(
            f"git does not say which files of {root} it tracks, so nothing is taken: {error}; "
            "mend that first, or use an unpacked archive of the lab"
        ) from None


def changed(root: Path, names: set[str]) -> list[str]:
    """Without a commit, none is."""
    try:
        return [name for name in git(root, "diff", "-z", "--name-only", "--relative", "HEAD") if name in names]
    except GitError:
        return []


def git(root: Path, *arguments: str) -> list[str]:
    """The names that git prints. Raises `GitError` with its reason."""
    said = output_of(["git", "--literal-pathspecs", *arguments], root, GIT_SECONDS)
    return [name for name in said.split("\0") if name]


def output_of(command: list[str], folder: Path, seconds: float, settings: Mapping[str, str] = NO_SETTINGS) -> str:
    """What git prints, or a program that runs git. Raises `GitError` with its reason."""
    environment = {name: value for name, value in os.environ.items() if is_for_any_repository(name)}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**environment, "GIT_TERMINAL_PROMPT": "0", **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
        )
    except FileNotFoundError:
        raise NoRepository(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise GitError(f"it had not ended after {seconds} seconds") from None
    except OSError as error:
        raise GitError(str(error)) from None
    if done.returncode != 0:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())
        raise GitError(said[:500] or f"it ended with {done.returncode}")
    return done.stdout.decode("utf-8", "surrogateescape")


def is_for_any_repository(variable: str) -> bool:
    """Else git sets it for a hook, and it names the hook's repository."""
    return not variable.startswith("GIT_") or variable.startswith(KEPT)


def present(root: Path, places: Iterable[str]) -> list[str]:
    """What lies there, but for what running Python leaves behind."""
    files = []
    for place in places:
        files += [root / place] if (root / place).is_file() else sorted((root / place).rglob("*"))
    names = [path.relative_to(root).as_posix() for path in files if path.is_file()]
    return [name for name in names if "__pycache__" not in name.split("/")]


def has_a_name_of_the_lab(name: str) -> bool:
    """`*` stands for a name without a dot in front."""
    if any(part.startswith(".") for part in name.split("/")):
        return False
    depth = name.count("/")
    return any(pattern.count("/") == depth and PurePosixPath(name).match(pattern) for pattern in NAMES)
