"""Asks GitHub through its program `gh`, which takes its token from GH_TOKEN; waits and asks again where that helps."""

import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import IO, Any, TypeVar

from grader.classroom.printing import complain
from grader.grading.grading_process import end_with_parent
from grader.options import UsageError
from grader.worker.text import clean_text

ANSWER_SECONDS = 120  # for one answer, an archive's last byte included
PATIENCE_SECONDS = 4200  # for all waiting of a run: GitHub counts requests by the hour
HICCUP_WAITS = (2, 10)  # seconds, after an answer that did not come or was GitHub's own fault
LIMIT_TRIES = 10
MAX_SAID = 500  # characters of what gh says
LIMIT_WAIT = 60  # seconds, then twice as long each time: where GitHub does not say how long, it asks for a minute
PLAIN = {"CLICOLOR_FORCE": "0", "GH_FORCE_TTY": "", "GH_DEBUG": ""}  # what gh prints is read here
REMAINING = "x-ratelimit-remaining"

T = TypeVar("T")


class GitHubError(Exception):
    """What gh said, in one line. `status` is HTTP's, or 0 if no answer came."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class RateLimited(Exception):
    """GitHub takes no more requests for longer than there is patience: ask nothing more."""


@dataclass
class Answer:
    """What GitHub answered: status of HTTP, headers, and the text of an error."""

    status: int
    headers: dict[str, str]  # names in small letters
    error: str  # empty: the answer is good

    def is_rate_limit(self) -> bool:
        """Else a 403 says that the token may not do this, and waiting is of no use."""
        if self.status == 429 or re.search("rate limit|abuse detection", self.error, re.IGNORECASE):
            return True
        return self.status == 403 and ("retry-after" in self.headers or self.headers.get(REMAINING) == "0")

    def is_hiccup(self) -> bool:
        """Does it pass when it is asked again?"""
        passes = self.status == 409 and "currently unavailable" in self.error.lower()
        return self.status < 400 or self.status == 408 or self.status >= 500 or passes

    def told_wait(self) -> float | None:
        """The seconds that GitHub says to wait."""
        after, reset = self.headers.get("retry-after", ""), self.headers.get("x-ratelimit-reset", "")
        if after.isdecimal():
            return max(int(after), 1)
        if self.headers.get(REMAINING) == "0" and reset.isdecimal():
            return max(int(reset) - time.time(), 0) + 1
        return None


class GitHub:
    """Asks the program gh, and waits where GitHub says so. patience: seconds that may be waited in all"""

    def __init__(self, patience: float = PATIENCE_SECONDS) -> None:
        self.patience = patience

    def ask(
        self, endpoint: str, read: Callable[[IO[bytes]], T], *options: str, stdin: str = "", again: bool = True
    ) -> tuple[T, dict[str, str]]:
        """What `read` makes of the answer's body, and its headers. A `ValueError` of `read` is a bad answer.

        Raises `GitHubError` and `RateLimited`. Without `again`, what GitHub may have done is not asked for anew.
        """
        limits = hiccups = 0
        while True:
            with tempfile.TemporaryFile() as body:
                answer = run_gh([endpoint, *options], stdin, body)
                if not answer.error:
                    try:
                        return read(body), answer.headers
                    except ValueError as error:
                        answer.error = f"the answer can't be used: {error}"
            if answer.is_rate_limit():
                wait = answer.told_wait() or LIMIT_WAIT * 2**limits
                limits += 1
                if wait > self.patience or limits == LIMIT_TRIES:
                    raise RateLimited(f"{answer.error}; not tried again, it would have been a wait of {wait:.0f} s")
                self.wait(wait, f"GitHub's rate limit is reached ({answer.error})", endpoint)
            elif answer.is_hiccup() and again and hiccups < len(HICCUP_WAITS) and HICCUP_WAITS[hiccups] < self.patience:
                self.wait(HICCUP_WAITS[hiccups], answer.error, endpoint)
                hiccups += 1
            else:
                raise GitHubError(answer.error, answer.status)

    def wait(self, seconds: float, why: str, endpoint: str) -> None:
        """Say why, and sleep. It is taken from the patience."""
        complain(f"{why}: asking for {endpoint} again in {seconds:.0f} s.")
        self.patience -= seconds
        time.sleep(seconds)

    def pages(self, endpoint: str) -> Iterator[dict[str, Any]]:
        """The elements of a list, one request for each hundred."""
        for page in count(1):
            elements, headers = self.ask(f"{endpoint}?per_page=100&page={page}", a_list)
            yield from elements
            if 'rel="next"' not in headers.get("link", ""):
                return


def run_gh(arguments: list[str], stdin: str, body: IO[bytes]) -> Answer:
    """One request; `body` is left where the answer's body begins. `gh` ends with us, however that is."""
    try:
        done = subprocess.run(
            ["gh", "api", *arguments, "--include"],
            input=stdin.encode(),
            stdout=body,
            stderr=subprocess.PIPE,
            env={**os.environ, **PLAIN},
            timeout=ANSWER_SECONDS,
            preexec_fn=end_with_parent(os.getpid()),
        )
    except subprocess.TimeoutExpired:
        return Answer(0, {}, f"gh had not answered after {ANSWER_SECONDS} seconds")
    except OSError as error:
        raise UsageError(f"can't start gh ({error.strerror}); https://cli.github.com says how to install it") from None
    body.seek(0)
    status, headers = read_head(body)
    said = " ".join(clean_text(done.stderr.decode("utf-8", "replace"), MAX_SAID).split())
    if not status and (match := re.search(r"HTTP (\d{3})", said)):
        status = int(match[1])
    if done.returncode == 4 or status == 401:  # gh has no token, or GitHub does not know it
        raise UsageError(f"GitHub wants a token that is valid, in GH_TOKEN or by `gh auth login`; gh says: {said}")
    return Answer(status, headers, (said or f"gh ended with {done.returncode}") if done.returncode else "")


def read_head(answer: IO[bytes]) -> tuple[int, dict[str, str]]:
    """Status and headers before the body, as `gh api --include` prints them."""
    if answer.read(5) != b"HTTP/":
        answer.seek(0)
        return 0, {}
    words = answer.readline().split()
    headers = {}
    while line := answer.readline().strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.lower()] = value.strip()
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0, headers


def a_list(body: IO[bytes]) -> list[dict[str, Any]]:
    """For `ask`: a list of objects. Raises `ValueError`."""
    elements = json.load(body)
    if not isinstance(elements, list) or not all(isinstance(element, dict) for element in elements):
        raise ValueError("it is no list")
    return elements
