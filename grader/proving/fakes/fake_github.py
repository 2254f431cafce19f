"""A program `gh` for the tests: it answers what a test has said, and prints as gh 2.23 was seen to print."""

import io
import json
import os
import re
import shlex
import sys
import tarfile
import time
from pathlib import Path
from typing import Any

ME = "staff-bot"
COMMIT = "a2575fb248d1201aa8e97f2db2c8d16ca986801c"


class FakeGitHub:
    """Its answers and what it was asked, in a folder. To be on the path, `bin` must be the first of it."""

    def __init__(self, here: Path) -> None:
        self.here = here
        self.bin = here / "bin"
        self.bin.mkdir(parents=True)
        program = self.bin / "gh"
        command = shlex.join([sys.executable, str(Path(__file__).resolve()), str(here)])
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        (here / "comments").mkdir()
        self.say("graphql", {"body": json.dumps({"data": {"viewer": {"login": ME}}})})

    def say(self, endpoint: str, *answers: dict[str, Any]) -> None:
        """What `gh api ENDPOINT` answers, time after time; the last answer stays. What is unknown is a 404."""
        path = self.here / "answers.json"
        known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        path.write_text(json.dumps(known | {endpoint: answers}), encoding="utf-8")

    def has(self, repository: str, content: bytes, *first: dict[str, Any], ref: str = "") -> None:
        """The repository's archive is `content`, once the first answers have been given."""
        path = self.here / f"{repository.replace('/', ' ')}.tar.gz"
        path.write_bytes(content)
        self.say(f"repos/{repository}/tarball{ref}", *first, {"file": str(path)})

    def has_pull_request(self, repository: str, comments: list[dict[str, Any]] | None = None) -> Path:
        """Number 7, with these comments; the file that keeps them."""
        pulls = f"repos/{repository}/pulls?state=open&sort=created&direction=asc&per_page=1"
        self.say(pulls, {"body": json.dumps([{"number": 7}])})
        path = self.here / "comments" / f"{repository.replace('/', ' ')}.json"
        path.write_text(json.dumps(comments or []), encoding="utf-8")
        return path

    def asked(self) -> list[str]:
        path = self.here / "asked.txt"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def error(status: int, message: str, **headers: str) -> dict[str, Any]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return {"status": status, "headers": named, "body": json.dumps({"message": message}), "error": message}


def archive(files: dict[str, bytes], links: dict[str, str] | None = None, commit: str = "", when: int = 0) -> bytes:
    """A .tar.gz as GitHub makes them: everything below one folder, the commit in the head."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz", pax_headers={"comment": commit} if commit else {}) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), when
            tar.addfile(member, io.BytesIO(content))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            tar.addfile(member)
    return made.getvalue()


def main(here: Path, words: list[str]) -> None:
    endpoint = words[1]
    with (here / "asked.txt").open("a", encoding="utf-8") as file:
        file.write(endpoint + "\n")
    known = json.loads((here / "answers.json").read_text(encoding="utf-8"))
    of_comments = re.fullmatch(
        r"repos/([^?]+)/issues/(7/comments|comments/\d+)(?:\?per_page=100&page=(\d+))?", endpoint
    )
    answer = error(404, "Not Found")
    if endpoint in known:
        answer, *later = known[endpoint]
        (here / "answers.json").write_text(json.dumps(known | {endpoint: later or [answer]}), encoding="utf-8")
    elif of_comments:
        path = here / "comments" / f"{of_comments[1].replace('/', ' ')}.json"
        answer = comment(path, of_comments[2], int(of_comments[3] or 0), sys.stdin.buffer.read().decode())
    reply(here, answer)


def comment(path: Path, what: str, page: int, text: str) -> dict[str, Any]:
    """List, post or edit. Who is not the author may not edit."""
    comments = json.loads(path.read_text(encoding="utf-8"))
    if page:
        more = {"Link": '<https://api.github.com/x>; rel="next"'} if len(comments) > 100 * page else {}
        return {"headers": more, "body": json.dumps(comments[100 * (page - 1) : 100 * page])}
    if what == "7/comments":
        comments.append({"id": 1000 + len(comments), "body": text, "user": {"login": ME}})
    else:
        (old,) = [old for old in comments if old["id"] == int(what.partition("/")[2])]
        if old["user"]["login"] != ME:
            return error(403, "Resource not accessible by personal access token")
        old["body"] = text
    path.write_text(json.dumps(comments), encoding="utf-8")
    lost = path.with_suffix(".lost")  # a test's wish: the next post is done, and its answer gets lost
    if lost.exists():
        lost.unlink()
        return error(502, "Bad Gateway")
    return {"status": 201, "body": "{}"}


def reply(here: Path, answer: dict[str, Any]) -> None:
    parent, status = os.getppid(), answer.get("status", 200)
    if status:
        head = [f"HTTP/2.0 {status} Words\n", *(f"{k}: {v}\r\n" for k, v in answer.get("headers", {}).items()), "\r\n"]
        sys.stdout.buffer.write("".join(head).encode())
    sys.stdout.buffer.write(Path(answer["file"]).read_bytes() if "file" in answer else answer.get("body", "").encode())
    sys.stdout.flush()
    if "hangs" in answer:
        (here / "hangs").touch()
        while os.getppid() == parent:
            time.sleep(0.05)
    if "error" in answer:
        sys.stderr.write(f"gh: {answer['error']}" + (f" (HTTP {status})\n" if status >= 400 else "\n"))
        sys.exit(answer.get("exit", 1))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
