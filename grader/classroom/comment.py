"""Posts feedback as a comment to each repository's oldest open pull request: `python -m grader comment`.

The comment of a former run is edited. No code of a student's runs here: this is the only step after the collecting one
that has a token.
"""

import argparse
import json
import time
from pathlib import Path
from typing import IO, Any

from grader.classroom.collect import read_index
from grader.classroom.github import HICCUP_WAITS, GitHub, GitHubError, RateLimited, a_list
from grader.classroom.printing import complain, print_what_can_be, say
from grader.grading.grading_process import INTERRUPTED, interrupted_by_signals
from grader.options import UsageError

MARKER = "<!-- batching-lab: feedback -->"  # not shown; how the comment of a former run is found
NO_PULL_REQUEST = "it has no open pull request"
SECONDS_BETWEEN_POSTS = 1  # GitHub asks for that


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader comment`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m grader comment",
        description="Post the feedback.",
        epilog="Exit status: 0 when everybody was collected, and whoever has an open pull request got the feedback; 1 "
        "when somebody was not collected, something failed or nobody got any; 2 for wrong usage, no gh, no token; 130 "
        "when it was interrupted.",
    )
    parser.add_argument("archives", type=Path, help="the folder with the index that collect has written")
    parser.add_argument("feedback", type=Path, help="the folder with STUDENT.md")
    options = parser.parse_args(arguments)
    print_what_can_be()
    try:
        with interrupted_by_signals():
            index = read_index(options.archives)
            if not options.feedback.is_dir():
                raise UsageError(f"there is no folder {options.feedback}")
            said = post_all(GitHub(), index, options.feedback)
    except UsageError as error:
        complain(f"comment: {error}")
        return 2
    except KeyboardInterrupt:
        complain("comment: stopped; when it is run again, what was posted is edited")
        return INTERRUPTED
    good = [word for word in said if word in ("posted", "edited")]
    failed = [word for word in said if word not in ("posted", "edited", NO_PULL_REQUEST)]
    return 1 if failed or not good else 0


def post_all(github: GitHub, index: dict[str, dict[str, Any]], feedback: Path) -> list[str]:
    """What became of each, also printed."""
    me = own_login(github)
    said = []
    limited = ""
    for student, entry in index.items():
        if entry["error"]:
            word = "not collected; what was posted before stays"
        elif limited:
            word = limited
        else:
            try:
                word = post(github, me, entry["repository"], feedback / f"{student}.md")
            except RateLimited as error:
                word = limited = str(error)
            except GitHubError as error:
                word = str(error)
        said.append(word)
        say(f"{student}: {word}")
    return said


def own_login(github: GitHub) -> str:
    """Of a user's token and of an app's. A student may have written the marker, too."""
    try:
        answer, _ = github.ask("graphql", json.load, "-f", "query={viewer{login}}")
        return str(answer["data"]["viewer"]["login"])
    except (GitHubError, RateLimited, KeyError, TypeError) as error:
        raise UsageError(f"gh can't say whose token this is: {error}") from None


def post(github: GitHub, me: str, repository: str, feedback: Path) -> str:
    """What was done."""
    try:
        text = f"{MARKER}\n{feedback.read_text(encoding='utf-8')}"
    except (OSError, UnicodeDecodeError):
        return f"there is no feedback that can be read in {feedback}"
    endpoint = f"repos/{repository}/pulls?state=open&sort=created&direction=asc&per_page=1"
    pulls, _ = github.ask(endpoint, a_list)
    if not pulls:
        return NO_PULL_REQUEST
    comments = f"repos/{repository}/issues/{number_in(pulls[0], 'number')}/comments"
    try:
        return edit_or_add(github, me, repository, comments, text)
    except GitHubError as error:
        if 400 <= error.status < 500:
            raise
        github.wait(HICCUP_WAITS[0], str(error), comments)
    return edit_or_add(github, me, repository, comments, text)  # which edits the first, if GitHub had taken it


def edit_or_add(github: GitHub, me: str, repository: str, comments: str, text: str) -> str:
    """Returns "edited" or "posted". Raises `GitHubError`."""
    mine = [number_in(comment, "id") for comment in github.pages(comments) if is_ours(comment, me)]
    if mine:
        endpoint, options = f"repos/{repository}/issues/comments/{mine[0]}", ["--method", "PATCH"]
    else:
        endpoint, options = comments, []
    github.ask(endpoint, nothing, *options, "-F", "body=@-", stdin=text, again=False)
    time.sleep(SECONDS_BETWEEN_POSTS)
    return "edited" if mine else "posted"


def number_in(answer: dict[str, Any], name: str) -> int:
    """A whole number of GitHub's answer. Raises `GitHubError` if there is none."""
    number = answer.get(name)
    if not isinstance(number, int):
        raise GitHubError(f"the answer can't be used: it names no {name}", 0)
    return number


def is_ours(comment: dict[str, Any], me: str) -> bool:
    """Did we post this comment?"""
    user = comment.get("user")  # none, if who wrote it is gone
    return isinstance(user, dict) and user.get("login") == me and str(comment.get("body")).startswith(MARKER)


def nothing(body: IO[bytes]) -> None:
    """Of the answer to a post, only that it is good matters."""
