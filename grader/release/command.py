"""`python -m grader release OUT`."""

import argparse
import shutil
import tempfile
from pathlib import Path

from grader.release.build import release_files, write_files
from grader.release.leaks import find_leaks
from grader.release.update import load_former, update
from grader.usage import UsageError


def add_release(parser: argparse.ArgumentParser) -> None:
    parser.description = "Make the student repository: no solution, no grader, no hidden test, no history."
    parser.epilog = (
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
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        write_files(files, Path(name))
        leaks = find_leaks(Path(name))
    if leaks:
        print("Nothing was released. Students must not see:")
        for leak in leaks:
            print(f"  {leak}")
        return 3
    if options.update:
        print("\n".join(update(files, folder).lines()))
        return 0
    try:
        write_files(files, folder)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise UsageError(f"can't write {folder}: {error.strerror}") from None
    print(f"{folder} holds the student repository: {len(files)} files.")
    print("Read INTEGRITY.md and edit it to your course's rules; then git init, and push.")
    return 0
