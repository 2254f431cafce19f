"""Fetches all student repositories: `python -m grader collect`, one request for each that is there.

Writes OUT/STUDENT.tar.gz and OUT/repositories.json. Nothing is taken out of the archives here, where a token is.
"""

import argparse
import functools
import gzip
import json
import os
import re
import shutil
import tarfile
import zlib
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from grader.classroom.github import GitHub, GitHubError, RateLimited, a_list
from grader.classroom.printing import complain, print_what_can_be, say
from grader.grading.grading_process import INTERRUPTED, interrupted_by_signals
from grader.grading.result import COMMIT, whole_or_nothing, write_atomically
from grader.options import UsageError

OWNER = re.compile(r"[A-Za-z0-9][\w.-]*", re.ASCII)
REPOSITORY = re.compile(rf"{OWNER.pattern}/(?!\.\.?$)[\w.-]+", re.ASCII)
NO_FILE_NAME = re.compile(r"\..*|.*\.|(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)  # hidden, or not on Windows
MAX_CHECKED_BYTES = 1 << 30  # unpacked; nobody's lab is larger, and grading refuses it
INDEX = "repositories.json"
NOT_REACHED = "collecting ended before it was this repository's turn"


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader collect`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m grader collect",
        description="Fetch the repositories.",
        epilog="Exit status: 0 when all were collected; 1 when some could not be; 2 for wrong usage, no gh, no token, "
        "no list of the organisation; 130 when it was interrupted.",
    )
    parser.add_argument("--list", type=Path, metavar="FILE", help="a line OWNER/NAME for each; # starts a comment")
    parser.add_argument("--org", help="instead: all repositories of this organisation, templates left out, ...")
    parser.add_argument("--prefix", default="", help="... whose name starts so")
    parser.add_argument("--ref", default="", help="branch, tag or commit; default: the default branch")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    if bool(options.list) == bool(options.org):
        parser.error("give either --list or --org")
    print_what_can_be()
    github = GitHub()
    try:
        with interrupted_by_signals():
            names = listed(options.list) if options.list else of_organisation(github, options.org, options.prefix)
            if not names:
                where = (
                    f"in {options.list}" if options.list else f"of {options.org} that starts with {options.prefix!r}"
                )
                raise UsageError(f"there is no repository to collect {where}")
            return report(collect(github, names, options.ref, options.out))
    except UsageError as error:
        complain(f"collect: {error}")
        return 2
    except KeyboardInterrupt:
        complain(f"collect: stopped; what was collected stays, and {INDEX} names the rest")
        return INTERRUPTED


def report(index: dict[str, dict[str, Any]]) -> int:
    """Print what was collected; returns the exit status."""
    missing = [entry for entry in index.values() if entry["error"]]
    empty = [entry for entry in index.values() if entry["empty"]]
    say(f"Collected {len(index) - len(missing) - len(empty)} of {len(index)} repositories.")
    for entry in empty:
        say(f"Empty: {entry['repository']}")
    for entry in missing:
        complain(f"Not collected: {entry['repository']}: {entry['error']}")
    return 1 if missing else 0


def listed(path: Path) -> list[str]:
    """Raises `UsageError` for a file that can't be read, and for a line that is no repository."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise UsageError(f"can't read the list {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"the list {path} is not UTF-8: save it so") from None
    names: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        name = line.partition("#")[0].strip()
        if name and not REPOSITORY.fullmatch(name):
            raise UsageError(f"{path}, line {number}: {name!r} is not of the form OWNER/NAME")
        if name:
            names.setdefault(name.casefold(), name)  # to GitHub, A/Lab is a/lab
    return list(names.values())


def of_organisation(github: GitHub, org: str, prefix: str) -> list[str]:
    """The students' repositories; says which others start with the prefix."""
    if not OWNER.fullmatch(org):
        raise UsageError(f"{org!r} is not the name of an organisation")
    names = set()  # what is made while the list is read moves others to the next page, where they come again
    try:
        for repository in github.pages(f"orgs/{org}/repos"):
            name = str(repository.get("full_name"))
            if not name.partition("/")[2].casefold().startswith(prefix.casefold()):
                continue
            if reason := why_no_student(repository, name, prefix):
                say(f"Left out: {name}: {reason}")
            else:
                names.add(name)
    except (GitHubError, RateLimited) as error:
        raise UsageError(f"gh can't list the repositories of {org}: {error}") from None
    return sorted(names)


def why_no_student(repository: dict[str, Any], name: str, prefix: str) -> str:
    """Why a repository is no student's; empty if it is one."""
    if repository.get("is_template"):
        return "it is a template"
    if prefix and name.partition("/")[2].casefold().rstrip("-_.") == prefix.casefold().rstrip("-_."):
        return "its name is the prefix and nothing more"
    if name.casefold() == os.environ.get("GITHUB_REPOSITORY", "").casefold():
        return "this workflow runs in it"
    if not REPOSITORY.fullmatch(name):
        return "its name is not of the form OWNER/NAME"
    return ""


def collect(github: GitHub, names: list[str], ref: str, out: Path) -> dict[str, dict[str, Any]]:
    """Write OUT/STUDENT.tar.gz for each; after each the index, which names all at any time."""
    students = student_names(names)
    index: dict[str, dict[str, Any]] = {}
    try:
        out.mkdir(parents=True, exist_ok=True)
        for student, name in students.items():
            index[student] = entry(name, out / f"{student}.tar.gz", error=NOT_REACHED)
        write_index(index, out)
        for number, (student, name) in enumerate(students.items(), start=1):
            archive = out / f"{student}.tar.gz"
            try:
                index[student] = entry(name, archive, **fetch(github, name, ref, archive))
            except RateLimited as error:
                index[student] = entry(name, archive, error=str(error))
                break
            finally:
                write_index(index, out)
            result = index[student]["error"] or ("empty" if index[student]["empty"] else "collected")
            say(f"{number} of {len(students)}: {name}: {result}")
    except OSError as error:
        raise UsageError(f"can't write to {out}: {error.strerror}") from None
    return index


def student_names(names: list[str]) -> dict[str, str]:
    """Student -> repository. The student's name is that of files and folders, here and in everything that follows.

    It is the repository's, or OWNER+NAME where that would not be unique or no file name everywhere. GitHub's names hold
    no plus sign, so no two are the same.
    """
    how_often = Counter(name.partition("/")[2].casefold() for name in names)
    students = {}
    for name in names:
        owner, _, repository = name.partition("/")
        if how_often[repository.casefold()] == 1 and not NO_FILE_NAME.fullmatch(repository):
            students[repository] = name
        else:
            students[f"{owner}+{repository}" + ("+" if repository.endswith(".") else "")] = name
    return students


def entry(
    name: str, archive: Path, error: str = "", empty: bool = False, commit: str = "", committed_at: str = ""
) -> dict[str, Any]:
    """What the index says of a student.

    `error`: why there is no archive of this run. `empty`: the repository is there, and nothing has been pushed to it.
    `commit` and `committed_at` are the archive's; the time is what the committer's machine said. `older_commit`: the
    archive that is there is a former run's; it is kept, but not graded.
    """
    older = older_commit(archive) if (error or empty) and archive.is_file() else ""
    if error and older:
        error += f"; the archive of a former run (commit {older}) is kept, but not graded"
    return {
        "repository": name,
        "error": error,
        "empty": empty,
        "commit": commit,
        "committed_at": committed_at,
        "older_commit": older,
    }


def older_commit(archive: Path) -> str:
    """The commit of an archive that is there already, or "unknown"."""
    try:
        with archive.open("rb") as file:
            return look_into(file)[0] or "unknown"
    except (OSError, ValueError):
        return "unknown"


def write_index(index: dict[str, dict[str, Any]], out: Path) -> None:
    """Write the index whole or not at all."""
    write_atomically(out / INDEX, json.dumps(index, indent=1) + "\n")


def read_index(archives: Path) -> dict[str, dict[str, Any]]:
    """Student -> entry. Raises `UsageError` with a sentence if the folder holds no index of collect's."""
    path = archives / INDEX
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise UsageError(f"{archives} holds no {INDEX}: it must be a folder that collect has written") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{path} can't be read as JSON: collect again") from None
    if not isinstance(index, dict) or not all(is_entry(student, about) for student, about in index.items()):
        raise UsageError(f"{path} is not what collect writes: for each student the repository and what went wrong")
    return index


def is_entry(student: str, about: object) -> bool:
    """Is this a student's name and an entry of the index, as `write_index` writes it?"""
    if not student or student.startswith(".") or set(student) & set("/\\:\0") or not isinstance(about, dict):
        return False
    texts = [about.get("repository"), about.get("error"), about.get("commit", ""), about.get("committed_at", "")]
    return all(isinstance(text, str) for text in texts)


def fetch(github: GitHub, name: str, ref: str, archive: Path) -> dict[str, Any]:
    """What is to be said of it in the index. An archive that is there is replaced by a whole one only."""
    endpoint = f"repos/{name}/tarball" + (f"/{quote(ref)}" if ref else "")
    try:
        (commit, committed_at), _ = github.ask(endpoint, functools.partial(save, archive=archive))
    except GitHubError as error:
        return {"empty": True} if is_empty(error) else without_archive(github, name, ref, error)
    except OSError as error:
        return {"error": f"can't write {archive}: {error.strerror or error}"}
    return {"commit": commit, "committed_at": committed_at}


def without_archive(github: GitHub, name: str, ref: str, why: GitHubError) -> dict[str, Any]:
    """Is the repository empty, which is nobody's fault, or without the ref, or not to be had?"""
    if why.status not in (400, 404, 422):
        return {"error": str(why)}
    try:
        commits, _ = github.ask(f"repos/{name}/commits?per_page=1", a_list)
    except GitHubError as error:
        if is_empty(error):
            return {"empty": True}
        if error.status in (403, 404):
            return {"error": f"{why}: there is no such repository, or the token may not read it"}
        return {"error": f"{why}; whether the repository is there could not be asked: {error}"}
    if not commits:
        return {"empty": True}
    return {"error": f"{why}: it has no branch, tag or commit {ref}" if ref else str(why)}


def is_empty(error: GitHubError) -> bool:
    """By the words: a 409 may also say that the repository can't be had now, which is no empty hand-in."""
    return "repository is empty" in str(error).lower()


def save(body: IO[bytes], archive: Path) -> tuple[str, str]:
    """Commit and time of a whole archive, which is then written; raises `ValueError` for any other answer."""
    start = body.tell()
    about = look_into(body)
    body.seek(start)
    with whole_or_nothing(archive) as file:
        shutil.copyfileobj(body, file)
    return about


def look_into(archive: IO[bytes]) -> tuple[str, str]:
    """Commit and time of a .tar.gz, read to its end; raises `ValueError` if it is cut off or something else.

    A repository's archive has a folder at its top, also if nothing lies in it.
    """
    try:
        with gzip.open(archive) as plain, tarfile.open(fileobj=plain, mode="r|") as tar:
            top = tar.next()
            if top is None or not (top.isdir() or "/" in top.name):
                raise ValueError("no archive of a repository (it has no folder at its top)")
            about = commit_of(tar, top), time_of(top)
            while plain.tell() < MAX_CHECKED_BYTES and plain.read(1 << 20):
                pass
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"no whole archive ({error})") from None
    return about


def commit_of(tar: tarfile.TarFile, top: tarfile.TarInfo) -> str:
    """As git writes it at an archive's head; else the end of the top folder's name, OWNER-NAME-COMMIT."""
    for text in (tar.pax_headers.get("comment", ""), top.name.partition("/")[0].rpartition("-")[2]):
        if COMMIT.fullmatch(text):
            return text
    return ""


def time_of(top: tarfile.TarInfo) -> str:
    """git gives everything in an archive the commit's time."""
    try:
        return datetime.fromtimestamp(top.mtime, UTC).isoformat() if top.mtime else ""
    except (ValueError, OverflowError, OSError):
        return ""
