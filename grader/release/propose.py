"""Proposes an update of the lab to student repositories: a branch and a pull request in each, by `gh` and `git`.

A student merges it, or does not. Commits are only ever added: nothing is pushed by force.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from grader.release.build import EDITABLE, MANIFEST
from grader.release.update import Update, update
from grader.usage import UsageError

CALL_SECONDS = 300
BRANCH = "lab-update-"
# git takes what gh is logged in with, and asks nobody for a password.
CREDENTIALS = ("-c", "credential.helper=", "-c", "credential.helper=!gh auth git-credential")
OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")


class CallError(Exception):
    """gh or git failed: which command, and what it said."""


def propose_all(names: list[str], files: dict[str, bytes]) -> dict[str, str]:
    """Propose to each; one that fails stops no other. Returns repository -> what went wrong."""
    failed = {}
    for name in names:
        with tempfile.TemporaryDirectory(prefix="propose-", ignore_cleanup_errors=True) as folder:
            clone = Path(folder, "clone")
            try:
                print(f"{name}: {propose(name, files, clone)}", flush=True)
            except (CallError, UsageError, OSError) as error:
                failed[name] = " ".join(str(error).replace(str(clone), "the repository").split())
            except (ValueError, LookupError, TypeError) as error:
                failed[name] = f"gh's answer can't be read: {type(error).__name__} {error}"
    return failed


def propose(name: str, files: dict[str, bytes], clone: Path) -> str:
    """Returns what was done. Raises `CallError`, `OSError`, and `UsageError` where no update is possible."""
    version = json.loads(files[MANIFEST])["version"]
    gh("repo", "clone", name, str(clone), "--", "--quiet")
    base = git(clone, "branch", "--show-current")
    whole = done = update(files, clone)
    if not done.has_changes:
        return f"has release {version}"
    pull = open_pull(name)
    branch = pull["head"]["ref"] if pull else BRANCH + version
    if git(clone, "for-each-ref", f"refs/remotes/origin/{branch}"):  # of a former run: go on from there
        git(clone, "reset", "--quiet", "--hard")
        git(clone, "clean", "--quiet", "--force", "-d", "-x")
        git(clone, "checkout", "--quiet", "-B", branch, f"refs/remotes/origin/{branch}")
        done = update(files, clone)
    if done.has_changes:
        git(clone, "add", "--force", "--all", "--", *done.changed_files)
        git(clone, "commit", "--quiet", "--message", f"Release {version} of the lab")
        git(clone, "push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
    text = {"title": f"Release {version} of the lab", "body": body(whole)}
    if pull is None:
        pull = send("POST", f"repos/{name}/pulls", {"head": branch, "base": base, **text})
        return f"opened {pull['html_url']}"
    if done.has_changes:
        send("PATCH", f"repos/{name}/pulls/{pull['number']}", text)
        return f"renewed {pull['html_url']}"
    return f"has {pull['html_url']}"


def body(done: Update) -> str:
    lines = [f"- {line}" for line in done.lines()]
    mine = ", ".join(f"`{name}`" for name in EDITABLE if name.startswith("starter/"))
    return "\n".join([f"The lab's own files are renewed; {mine} stay as they are.", "", *lines])


def open_pull(name: str) -> dict[str, Any] | None:
    """The open pull request of a former run."""
    found = json.loads(gh("api", f"repos/{name}/pulls?state=open&per_page=100"))
    for pull in found:
        is_own = pull["head"]["repo"] and pull["head"]["repo"]["full_name"] == pull["base"]["repo"]["full_name"]
        if is_own and pull["head"]["ref"].startswith(BRANCH):
            return dict(pull)
    return None


def send(method: str, place: str, fields: dict[str, str]) -> dict[str, Any]:
    values = [word for name, value in fields.items() for word in ("--raw-field", f"{name}={value}")]
    answer: dict[str, Any] = json.loads(gh("api", "--method", method, place, *values))
    return answer


def gh(*arguments: str) -> str:
    return call(f"gh {arguments[0]}", ["gh", *arguments])


def git(clone: Path, *arguments: str) -> str:
    return call(f"git {arguments[0]}", ["git", "--literal-pathspecs", *CREDENTIALS, *arguments], clone)


def call(what: str, command: list[str], folder: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in OF_A_HOOK}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**environment, "GIT_TERMINAL_PROMPT": "0"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=CALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise CallError(f"{what} had not ended after {CALL_SECONDS} seconds") from None
    if done.returncode != 0:
        raise CallError(f"{what}: {done.stderr.strip()[:500] or f'status {done.returncode}'}")
    return done.stdout.strip()
