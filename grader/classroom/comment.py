"""Posts feedback as a comment to each repository's oldest open pull request: `python -m grader.classroom.comment`.

No code of a student's runs here: this is the only step after the collecting one that has a token.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from grader.classroom.collect import FETCH_SECONDS, INDEX


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m grader.classroom.comment", description="Post the feedback.")
    parser.add_argument("archives", type=Path, help="the folder with the index that collect has written")
    parser.add_argument("feedback", type=Path, help="the folder with STUDENT.md")
    options = parser.parse_args(arguments)
    index = json.loads((options.archives / INDEX).read_text(encoding="utf-8"))
    failed = 0
    for student, entry in index.items():
        error = post(entry["repository"], options.feedback / f"{student}.md")
        failed += bool(error)
        print(f"{student}: {error or 'posted'}")
    return 0 if failed < len(index) else 1


def post(repository: str, path: Path) -> str:
    """What went wrong; empty if nothing did."""
    pulls = f"repos/{repository}/pulls?state=open&sort=created&direction=asc&per_page=1"
    try:
        found = gh("api", pulls, "--jq", ".[0].number // empty").strip()
        if not found.isdecimal():
            return "it has no open pull request"
        gh("api", f"repos/{repository}/issues/{found}/comments", "-F", f"body=@{path}", "--silent")
    except subprocess.CalledProcessError as error:
        return f"gh: {error.stderr.strip()}"
    except subprocess.TimeoutExpired:
        return f"gh had not answered after {FETCH_SECONDS} seconds"
    return ""


def gh(*arguments: str) -> str:
    done = subprocess.run(
        ["gh", *arguments], capture_output=True, text=True, encoding="utf-8", timeout=FETCH_SECONDS, check=True
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
