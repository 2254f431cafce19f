"""`python -m grader release OUT` and `python -m grader propose-update`."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from grader.classroom.collect import listed, of_organisation
from grader.classroom.github import GitHub
from grader.release.build import MADE_FROM, RELEASED, ROOT, release_files, write_files
from grader.release.leaks import find_leaks
from grader.release.propose import propose_all
from grader.release.sources import sentences
from grader.release.update import load_former, update
from grader.usage import UsageError

DONE, FAILED, LEAKS = 0, 1, 3


def add_release(parser: argparse.ArgumentParser) -> None:
    parser.description = "Make the student repository: no solution, no grader, no hidden test, no history."
    parser.epilog = (
        "It holds what git tracks of starter/, tests/ and the handout; what else lies there is named and left out. "
        "With --update a former release is renewed: what students may edit stays as it is. "
        "Exit status: 0 released; 2 wrong usage; 3 something that students must not see was found, and nothing "
        "was released. Example: python -m grader release ../student-repository"
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to fill: new or empty")
    parser.add_argument("--update", action="store_true", help="renew the former release in OUT")
    parser.set_defaults(run=run_release)


def run_release(options: argparse.Namespace) -> int:
    folder: Path = options.out
    if options.update:
        load_former(folder)
    elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder; --update renews a former release")
    files = release_files()
    if has_leaks(files):
        return LEAKS
    say_what_is_taken()
    if options.update:
        print("\n".join(update(files, folder).lines()))
        return DONE
    try:
        write_files(files, folder)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise UsageError(f"can't write {folder}: {error.strerror}") from None
    print(f"{folder} holds the student repository: {len(files)} files.")
    print("Read INTEGRITY.md and edit it to your course's rules; then git init, and push.")
    return DONE


def has_leaks(files: dict[str, bytes]) -> bool:
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        write_files(files, Path(name))
        leaks = find_leaks(Path(name))
    if leaks:
        print("Nothing was released. Students must not see:")
        for leak in leaks:
            print(f"  {leak}")
    return bool(leaks)


def say_what_is_taken() -> None:
    for sentence in sentences(ROOT, RELEASED, MADE_FROM):
        print(f"grader: {sentence}", file=sys.stderr)


def add_propose_update(parser: argparse.ArgumentParser) -> None:
    parser.description = "Open a pull request with this version of the lab in each student repository, by gh and git."
    parser.epilog = (
        "What `release --update` would do, as a commit on a branch lab-update-VERSION. Students' files and branches "
        "are left alone; nothing is pushed by force. Run it again as often as you like: a repository that has this "
        "version is left as it is, and an open pull request of a former run gets the update. gh must be logged in with "
        "a token that may write contents, pull requests and workflows; git needs user.name and user.email. "
        "Exit status: 0; 1 when a repository failed "
        "(each is named); 2 for wrong usage; 3 something that students must not see was found, and nothing was "
        "proposed. "
        "Example: python -m grader propose-update --org ORG --prefix lab-"
    )
    parser.add_argument("--list", type=Path, metavar="FILE", help="a line OWNER/NAME for each; # starts a comment")
    parser.add_argument("--org", help="instead: all repositories of this organisation, templates left out, ...")
    parser.add_argument("--prefix", default="", help="... whose name starts so")
    parser.set_defaults(run=run_propose_update)


def run_propose_update(options: argparse.Namespace) -> int:
    if bool(options.list) == bool(options.org):
        raise UsageError("propose-update: give either --list or --org")
    for program in ("gh", "git"):
        if shutil.which(program) is None:
            raise UsageError(f"propose-update needs {program}, which is not installed")
    names = listed(options.list) if options.list else of_organisation(GitHub(), options.org, options.prefix)
    if not names:
        raise UsageError("there is no repository to propose the update to")
    files = release_files()
    if has_leaks(files):
        return LEAKS
    say_what_is_taken()
    failed = propose_all(names, files)
    print(f"{len(names) - len(failed)} of {len(names)} repositories have this version or a pull request with it.")
    for name, error in failed.items():
        print(f"Not proposed: {name}: {error}", file=sys.stderr)
    return FAILED if failed else DONE
