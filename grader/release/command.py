"""`python -m grader release OUT`: make the student repository, or renew one."""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from grader.options import UsageError
from grader.paths import ROOT
from grader.release.build import MADE_FROM, MANIFEST, RELEASED, release_files, write_files
from grader.release.leaks import find_leaks
from grader.release.update import Update, load_former, refuse_links, update
from grader.sources import sentences

DONE, FAILED, LEAKS = 0, 1, 3


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader release`; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m grader release")
    parser.description = "Make the student repository: no solution, no grader, no hidden test, no history."
    parser.epilog = (
        "It holds what git tracks of starter/, tests/ and the handout; what else lies there is named and left out. "
        "With --update a former release is renewed: what students may edit stays as it is. "
        "Exit status: 0 released; 2 wrong usage, a folder that can't be written, a file that is needed and missing, or "
        "a refusal of git's; 3 something that students must not "
        "see was found, and nothing was released. Example: python -m grader release ../student-repository"
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to fill: new or empty")
    parser.add_argument("--update", action="store_true", help="renew the former release in OUT")
    return run_release(parser.parse_args(arguments))


def run_release(options: argparse.Namespace) -> int:
    """Make or update the repository; returns the exit status. Raises `UsageError`."""
    folder: Path = options.out
    try:
        if options.update:
            load_former(folder)
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is not an empty folder; --update renews a former release")
    except OSError as error:
        raise UsageError(f"can't read {reason(error, folder)}") from None
    files = release_files()
    if has_leaks(files):
        return LEAKS
    say_what_is_taken()
    if options.update:
        print("\n".join(renew(files, folder).lines()))
        return DONE
    try:
        write_files(files, folder)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise UsageError(f"can't write {folder}: {error.strerror}") from None
    print(f"{folder} holds the student repository: {len(files)} files.")
    print("Read INTEGRITY.md and edit it to your course's rules; then git init, and push.")
    return DONE


def renew(files: dict[str, bytes], folder: Path) -> Update:
    """Nothing is renewed if it shows before that something can't be."""
    try:
        planned = tried(files, folder)
        check_writable(folder, planned)
        former = (folder / MANIFEST).read_bytes()
    except OSError as error:
        raise UsageError(f"--update: nothing was renewed: {reason(error, folder)}") from None
    try:
        return update(files, folder)
    except OSError as error:
        why = reason(error, folder)
    put_back(folder / MANIFEST, former)
    done = [name for name in planned.changed_files if name != MANIFEST and is_done(folder / name, files.get(name))]
    raise UsageError(
        f"--update: {why}; renewed before that: {', '.join(done) or 'nothing'}; "
        "when the cause is mended, the same command renews the rest"
    )


def tried(files: dict[str, bytes], folder: Path) -> Update:
    """What an update would do, found out with a copy."""
    names = [*files, *load_former(folder).lab_files]
    refuse_links(folder, names)
    with tempfile.TemporaryDirectory(prefix="release-") as copy:
        write_files({name: (folder / name).read_bytes() for name in names if (folder / name).is_file()}, Path(copy))
        return update(files, Path(copy))


def check_writable(folder: Path, planned: Update) -> None:
    """Raises `OSError`; nothing is changed."""
    for name in planned.changed_files:
        path = folder / name
        if path.exists() and name not in planned.removed:
            path.open("ab").close()
        else:
            check_folder(next(place for place in path.parents if place.exists()))


def check_folder(folder: Path) -> None:
    """Raises `UsageError` if a new release can't go there."""
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:  # it names the temporary file
        raise OSError(error.errno, error.strerror, str(folder)) from None


def reason(error: OSError, folder: Path) -> str:
    """Why a file could not be written, for a sentence."""
    return f"{error.filename or folder}: {error.strerror}"


def put_back(manifest: Path, former: bytes) -> None:
    """With the new one, another update would not remove what this one could not."""
    try:
        if manifest.read_bytes() != former:
            manifest.write_bytes(former)
    except OSError as error:
        raise UsageError(
            f"--update: {manifest} is lost ({error.strerror}): take it from a copy, and try again"
        ) from None


def is_done(path: Path, content: bytes | None) -> bool:
    """Whether the file is as the release has it; None: it is not there."""
    try:
        return not path.exists() if content is None else path.read_bytes() == content
    except OSError:
        return False


def has_leaks(files: dict[str, bytes]) -> bool:
    """Print what students must not see; True if there is anything."""
    with tempfile.TemporaryDirectory(prefix="release-") as name:
        write_files(files, Path(name))
        leaks = find_leaks(Path(name))
    if leaks:
        print("Nothing was released. Students must not see:")
        for leak in leaks:
            print(f"  {leak}")
    return bool(leaks)


def say_what_is_taken() -> None:
    """Say which files that git does not know are left out, and which changed ones are taken."""
    for sentence in sentences(ROOT, RELEASED, MADE_FROM):
        print(f"grader: {sentence}", file=sys.stderr)
