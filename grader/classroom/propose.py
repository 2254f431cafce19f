"""`python -m grader propose-update`: a branch and a pull request with an update of the lab in each student repository.

By `gh` and `git`. A student merges it, or does not. Commits are only ever added: nothing is pushed by force.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from grader.classroom.collect import listed, of_organisation
from grader.classroom.comment import SECONDS_BETWEEN_POSTS
from grader.classroom.github import PLAIN, GitHub, GitHubError, RateLimited, a_list
from grader.options import UsageError
from grader.release.build import EDITABLE, MANIFEST, MAY_BE_DELETED, release_files
from grader.release.command import DONE, FAILED, LEAKS, has_leaks, say_what_is_taken
from grader.release.update import Update, update
from grader.sources import GitError, output_of

CALL_SECONDS = 300
BRANCH = "lab-update-"
# git takes what gh is logged in with, and asks nobody for a password.
CREDENTIALS = ("-c", "credential.helper=", "-c", "credential.helper=!gh auth git-credential")


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader propose-update`; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m grader propose-update")
    parser.description = "Open a pull request with this version of the lab in each student repository, by gh and git."
    parser.epilog = (
        "What `release --update` would do, as a commit on a branch lab-update-VERSION. Students' files and branches "
        "are left alone; nothing is pushed by force. Run it again as often as you like: a repository that has this "
        "version is left as it is, and an open pull request of a former run gets the update. gh must be logged in with "
        "a token that may write contents, pull requests and workflows; git needs user.name and user.email. "
        "Where GitHub's rate limit is reached, it waits. "
        "Exit status: 0; 1 when a repository failed "
        "(each is named); 2 for wrong usage; 3 something that students must not see was found, and nothing was "
        "proposed. "
        "Example: python -m grader propose-update --org ORG --prefix lab-"
    )
    parser.add_argument("--list", type=Path, metavar="FILE", help="a line OWNER/NAME for each; # starts a comment")
    parser.add_argument("--org", help="instead: all repositories of this organisation, templates left out, ...")
    parser.add_argument("--prefix", default="", help="... whose name starts so")
    return run_propose_update(parser.parse_args(arguments))


def run_propose_update(options: argparse.Namespace) -> int:
    """Propose the update to each repository; returns the exit status. Raises `UsageError`."""
    if bool(options.list) == bool(options.org):
        raise UsageError("propose-update: give either --list or --org")
    for program in ("gh", "git"):
        if shutil.which(program) is None:
            raise UsageError(f"propose-update needs {program}, which is not installed")
    check_author()
    github = GitHub()
    names = listed(options.list) if options.list else of_organisation(github, options.org, options.prefix)
    if not names:
        raise UsageError("there is no repository to propose the update to")
    files = release_files()
    if has_leaks(files):
        return LEAKS
    say_what_is_taken()
    failed = propose_all(github, names, files)
    print(f"{len(names) - len(failed)} of {len(names)} repositories have this version or a pull request with it.")
    for name, error in failed.items():
        print(f"Not proposed: {name}: {error}", file=sys.stderr)
    return FAILED if failed else DONE


def check_author() -> None:
    """Raises `UsageError` if git does not know who commits: then it would refuse each repository's commit."""
    with tempfile.TemporaryDirectory(prefix="propose-", ignore_cleanup_errors=True) as name:
        try:
            git(Path(name), "init", "--quiet")  # the clones, too, don't take the settings of a repository around them
            for role in ("AUTHOR", "COMMITTER"):
                git(Path(name), "var", f"GIT_{role}_IDENT")
        except GitError as error:
            raise UsageError(
                "propose-update commits, and git does not know as whom: git config --global user.name NAME, and "
                f"git config --global user.email ADDRESS ({str(error).rpartition('fatal: ')[2]})"
            ) from None


def propose_all(github: GitHub, names: list[str], files: dict[str, bytes]) -> dict[str, str]:
    """Propose to each; one that fails stops no other. Returns repository -> what went wrong."""
    failed = {}
    limited = ""
    for name in names:
        if limited:
            failed[name] = limited
            continue
        with tempfile.TemporaryDirectory(prefix="propose-", ignore_cleanup_errors=True) as folder:
            clone = Path(folder, "clone")
            try:
                print(f"{name}: {propose(github, name, files, clone)}", flush=True)
            except RateLimited as error:
                failed[name] = limited = str(error)
            except (GitError, GitHubError, UsageError, OSError) as error:
                failed[name] = " ".join(str(error).replace(str(clone), "the repository").split())
            except (ValueError, LookupError, TypeError) as error:
                failed[name] = f"gh's answer can't be read: {type(error).__name__} {error}"
    return failed


def propose(github: GitHub, name: str, files: dict[str, bytes], clone: Path) -> str:
    """Returns what was done.

    Raises `GitError`, `GitHubError`, `RateLimited`, `OSError`, and `UsageError` where no update is possible.
    """
    version = json.loads(files[MANIFEST])["version"]
    call(["gh", "repo", "clone", name, str(clone), "--", "--quiet"], clone.parent, "gh repo")
    base = git(clone, "branch", "--show-current")
    whole = done = update(files, clone)
    if not done.has_changes:
        return f"has release {version}"
    pull = open_pull(github, name)
    branch = pull["head"]["ref"] if pull else BRANCH + version
    if has_commits_of_its_own(clone, branch, base):
        go_on_from(clone, branch)
        if pull is None:
            take_over(clone, base, files.keys() - {*EDITABLE, *MAY_BE_DELETED})
        done = update(files, clone)
    if done.has_changes:
        git(clone, "add", "--force", "--all", "--", *done.changed_files)
        git(clone, "commit", "--quiet", "--message", f"Release {version} of the lab")
    if git(clone, "rev-list", "--count", "HEAD", "--not", "--remotes=origin") != "0":
        git(clone, "push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
    text = {"title": f"Release {version} of the lab", "body": body(whole)}
    if pull is None:
        pull = send(github, "POST", f"repos/{name}/pulls", {"head": branch, "base": base, **text})
        return f"opened {pull['html_url']}"
    if done.has_changes or pull["title"] != text["title"]:  # a former run could push, and then no more
        send(github, "PATCH", f"repos/{name}/pulls/{pull['number']}", text)
        return f"renewed {pull['html_url']}"
    return f"has {pull['html_url']}"


def has_commits_of_its_own(clone: Path, branch: str, base: str) -> bool:
    """Of a former run, or of a student. A branch that was merged has none: what starts from `base` follows it, too."""
    remote = f"refs/remotes/origin/{branch}"
    if not git(clone, "for-each-ref", remote):
        return False
    return git(clone, "rev-list", "--count", f"refs/heads/{base}..{remote}") != "0"


def go_on_from(clone: Path, branch: str) -> None:
    """Make the clone what the branch of an earlier proposal is."""
    git(clone, "reset", "--quiet", "--hard")
    git(clone, "clean", "--quiet", "--force", "-d", "-x")
    git(clone, "checkout", "--quiet", "-B", branch, f"refs/remotes/origin/{branch}")


def take_over(clone: Path, base: str, lab_files: set[str]) -> None:
    """Merge what `base` has: if the branch was squashed into it, the update would seem to be proposed already.

    Between two versions of the lab's files the update decides; another conflict GitHub shows to the student.
    """
    try:
        git(clone, "merge", "--quiet", "--no-edit", f"refs/remotes/origin/{base}")
    except GitError:
        names = git(clone, "diff", "--name-only", "--diff-filter=U", "-z").strip("\0").split("\0")
        if lab_files.issuperset(names):
            git(clone, "checkout", "--quiet", "--ours", "--", *names)
            git(clone, "add", "--force", "--", *names)
            git(clone, "commit", "--quiet", "--no-edit")
        else:
            git(clone, "reset", "--quiet", "--hard")


def body(done: Update) -> str:
    """The text of the pull request."""
    lines = [f"- {line}" for line in done.lines()]
    mine = ", ".join(f"`{name}`" for name in EDITABLE if name.startswith("starter/"))
    return "\n".join([f"The lab's own files are renewed; {mine} stay as they are.", "", *lines])


def open_pull(github: GitHub, name: str) -> dict[str, Any] | None:
    """The open pull request of a former run."""
    found, _ = github.ask(f"repos/{name}/pulls?state=open&per_page=100", a_list)
    for pull in found:
        is_own = pull["head"]["repo"] and pull["head"]["repo"]["full_name"] == pull["base"]["repo"]["full_name"]
        if is_own and pull["head"]["ref"].startswith(BRANCH):
            return pull
    return None


def send(github: GitHub, method: str, place: str, fields: dict[str, str]) -> dict[str, Any]:
    """GitHub's answer to something that changes it. Raises `GitHubError`."""
    values = [word for name, value in fields.items() for word in ("--raw-field", f"{name}={value}")]
    answer: dict[str, Any]
    answer, _ = github.ask(place, json.load, "--method", method, *values, again=method != "POST")
    time.sleep(SECONDS_BETWEEN_POSTS)
    return answer


def git(clone: Path, *arguments: str) -> str:
    """What git prints. Raises `GitError`."""
    return call(["git", "--literal-pathspecs", *CREDENTIALS, *arguments], clone, f"git {arguments[0]}")


def call(command: list[str], folder: Path, what: str) -> str:
    """What a program prints. Raises `GitError` with a sentence that begins with `what`."""
    try:
        return output_of(command, folder, CALL_SECONDS, PLAIN).strip()
    except GitError as error:
        raise GitError(f"{what}: {error}") from None
