"""Fetches all student repositories: `python -m grader.classroom.collect`, one API call each.

It calls `gh`, which takes its token from GH_TOKEN. The archives are not looked into here.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/(?!\.\.?$)[A-Za-z0-9_.][\w.-]*", re.ASCII)
FETCH_SECONDS = 120
INDEX = "repositories.json"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m grader.classroom.collect", description="Fetch the repositories.")
    parser.add_argument("--list", type=Path, metavar="FILE", help="a line OWNER/NAME for each; # starts a comment")
    parser.add_argument("--org", help="instead: all repositories of this organisation ...")
    parser.add_argument("--prefix", default="", help="... whose name starts so")
    parser.add_argument("--ref", default="", help="branch, tag or commit; default: the default branch")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    if bool(options.list) == bool(options.org):
        parser.error("give either --list or --org")
    names = listed(options.list) if options.list else of_organisation(options.org, options.prefix)
    if not names:
        print("There is no repository to collect.", file=sys.stderr)
        return 1
    index = collect(names, options.ref, options.out)
    missing = [entry["repository"] for entry in index.values() if entry["error"]]
    print(f"Collected {len(index) - len(missing)} of {len(index)} repositories.")
    for name in missing:
        print(f"Not collected: {name}", file=sys.stderr)
    return 0 if len(missing) < len(index) else 1


def listed(path: Path) -> list[str]:
    """Raises `SystemExit` with a sentence for a line that is no repository."""
    names = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        name = line.partition("#")[0].strip()
        if name and not REPOSITORY.fullmatch(name):
            raise SystemExit(f"{path}, line {number}: {name!r} is not of the form OWNER/NAME")
        if name:
            names.append(name)
    return list(dict.fromkeys(names))


def of_organisation(org: str, prefix: str) -> list[str]:
    """One call for each hundred repositories."""
    command = ["gh", "api", "--paginate", f"orgs/{org}/repos?per_page=100", "--jq", ".[].full_name"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=FETCH_SECONDS)
    if done.returncode != 0:
        raise SystemExit(f"gh can't list the repositories of {org}: {done.stderr.strip()}")
    names = [name for name in done.stdout.split() if name.partition("/")[2].startswith(prefix)]
    return sorted(name for name in names if REPOSITORY.fullmatch(name))


def collect(names: list[str], ref: str, out: Path) -> dict[str, dict[str, str]]:
    """Write OUT/STUDENT.tar.gz for each, and the index: student -> repository and what went wrong."""
    out.mkdir(parents=True, exist_ok=True)
    how_often = Counter(name.partition("/")[2].casefold() for name in names)
    index = {}
    for name in names:
        owner, _, repository = name.partition("/")
        student = repository if how_often[repository.casefold()] == 1 else f"{owner}--{repository}"
        index[student] = {"repository": name, "error": fetch(name, ref, out / f"{student}.tar.gz")}
    (out / INDEX).write_text(json.dumps(index, indent=1), encoding="utf-8")
    return index


def fetch(name: str, ref: str, path: Path) -> str:
    """What went wrong; empty if nothing did."""
    endpoint = f"repos/{name}/tarball" + (f"/{ref}" if ref else "")
    try:
        with path.open("wb") as file:
            done = subprocess.run(
                ["gh", "api", endpoint], stdout=file, stderr=subprocess.PIPE, timeout=FETCH_SECONDS, check=False
            )
        if done.returncode == 0:
            return ""
        error = done.stderr.decode("utf-8", "replace").strip() or "gh failed"
    except subprocess.TimeoutExpired:
        error = f"gh had not answered after {FETCH_SECONDS} seconds"
    path.unlink()
    return error


if __name__ == "__main__":
    sys.exit(main())
