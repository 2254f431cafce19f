"""Takes the files that are graded, and report.md, out of repositories' archives, and nothing else.

`python -m grader unpack ARCHIVES --out SUBMISSIONS`: a folder for each NAME.tar.gz, for the GPU stage and for
whoever reads the reports.
"""

import argparse
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from batching_lab.submission.files import MAX_FILE_BYTES, MAX_FILES, MAX_SENTENCES, REQUIRED
from grader.classroom.collect import INDEX, read_index
from grader.classroom.printing import complain, print_what_can_be, say
from grader.grading.grading_process import INTERRUPTED, interrupted_by_signals
from grader.grading.locate import HOME, TOP, Entry, Found, find_submission, is_passed_over
from grader.options import UsageError
from grader.worker.text import clean_text

MAX_ARCHIVE_BYTES = 500 << 20  # unpacked
MAX_MEMBERS = 100_000
MOST_FILES = 4 * MAX_FILES  # which of them are graded `submission.files` says
REPORT = "report.md"
MAX_NAME_BYTES = 255  # what file systems take
SUBMODULES = "A repository's archive holds no files of the submodules that .gitmodules names"
EXPORT_IGNORE = "export-ignore in .gitattributes leaves files out of a repository's archive"
LFS_POINTER = b"version https://git-lfs.github.com/spec/"


class BadArchive(Exception):
    """The archive can't be read; one sentence."""


class NothingToGrade(Exception):
    """No folder of the archive holds a submission, or more than one does; what was found where, for the student too."""


def unpack(archive: Path, folder: Path) -> list[str]:
    """Write the submission's plain files out of a .tar.gz into a new folder; return what is to be said of them."""
    folder.mkdir(parents=True)
    try:
        entries, leaves_out = read_names(archive)
        found = find_in(entries, leaves_out)
        paths, left_out = wanted(entries, found.folder or TOP)
        files, notes = read_files(archive, paths)
    except FileNotFoundError:
        raise BadArchive(f"the repository's archive {archive.name} is missing") from None
    except (tarfile.TarError, OSError, EOFError, ValueError, ArithmeticError, LookupError) as error:
        raise BadArchive(f"the repository's archive can't be read: {type(error).__name__}") from None
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return found.notes + left_out + notes


def members_of(archive: Path) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo, PurePosixPath]]:
    """All that lies below an archive's top; an archive that is not a student's work in size ends it."""
    num_bytes = 0
    with tarfile.open(archive, "r|gz") as tar:
        for number, member in enumerate(tar):
            num_bytes += member.size
            if num_bytes > MAX_ARCHIVE_BYTES:
                raise BadArchive(f"the repository is larger than {MAX_ARCHIVE_BYTES >> 20} MiB")
            if number == MAX_MEMBERS:
                raise BadArchive(f"the repository holds more than {MAX_MEMBERS} files and folders")
            path = PurePosixPath(member.name)
            if not path.is_absolute():
                yield tar, member, path


def read_names(archive: Path) -> tuple[list[Entry], bool]:
    """What the archive holds, and whether its repository has a .gitattributes that leaves files out of it."""
    entries, leaves_out = [], False
    for tar, member, path in members_of(archive):
        if is_passed_over(path.parent):
            continue
        entries.append(Entry(path, member.isdir()))
        file = tar.extractfile(member) if path.name == ".gitattributes" and member.isfile() else None
        if file is not None:
            lines = file.read(MAX_FILE_BYTES).decode("utf-8", "replace").splitlines()
            leaves_out |= any("export-ignore" in line.split()[1:] for line in lines if not line.startswith("#"))
    return entries, leaves_out


def find_in(entries: list[Entry], leaves_out: bool) -> Found:
    """The submission's folder; in GitHub's archives it is TOP/starter."""
    tops = {entry.path.parts[0] for entry in entries if entry.path != TOP}
    usual = {PurePosixPath(top, HOME) for top in tops} if len(tops) == 1 else {TOP}
    found = find_submission(entries, usual=usual)
    submodules = [f"{SUBMODULES}: that may be why {HOME} is empty."] if may_be_submodule(entries, usual) else []
    if any(entry.path in usual and entry.is_folder for entry in entries):
        found.notes += submodules
    if found.folder is None:
        if not found.places:
            found.sentence += f" {EXPORT_IGNORE}: {'it is used here' if leaves_out else 'that may be why'}."
        found.sentence = " ".join([found.sentence, *submodules])
        raise NothingToGrade(found.sentence)
    if leaves_out and (missing := [name for name in REQUIRED if name not in found.places[found.folder]]):
        raise NothingToGrade(
            f"{clean_text(str(found.folder), 200)} in the archive holds no {' and no '.join(missing)}. {EXPORT_IGNORE}."
        )
    if leaves_out:
        found.notes.append(f"{EXPORT_IGNORE}: what it names was not graded.")
    return found


def may_be_submodule(entries: list[Entry], homes: set[PurePosixPath]) -> bool:
    """Does nothing lie in the lab's own folder, and has the repository a .gitmodules?"""
    names_some = any(entry.path.name == ".gitmodules" and len(entry.path.parts) <= 2 for entry in entries)
    return names_some and not any(home in entry.path.parents for home in homes for entry in entries)


def wanted(entries: list[Entry], folder: PurePosixPath) -> tuple[set[PurePosixPath], list[str]]:
    """The three files and the report first: a crowd of others does not keep them out. And what can't be written."""
    names = {entry.path.name for entry in entries if entry.path.parent == folder and not entry.is_folder}
    further, left_out = [], []
    for name in sorted(name for name in names if name.endswith(".py")):
        if set(name) & set('\\/:*?"<>|\0'):
            left_out.append(f"{clean_text(name, 60)} was not taken: no file can have that name everywhere.")
        elif len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
            left_out.append(f"{clean_text(name, 60)} was not taken: its name is longer than {MAX_NAME_BYTES} bytes.")
        else:
            further.append(name)
    return {folder / name for name in [*REQUIRED, REPORT, *further[:MOST_FILES]]}, left_out[:MAX_SENTENCES]


def read_files(archive: Path, paths: set[PurePosixPath]) -> tuple[dict[str, bytes], list[str]]:
    """Name -> content, and what is left out. A byte too many of too large a file, so `submission.files` says so."""
    files, notes = {}, []
    for tar, member, path in members_of(archive):
        if path not in paths or member.isdir():
            continue
        file = tar.extractfile(member) if member.isfile() else None
        if file is None:
            why = "it is a link" if member.issym() else "it is no plain file"
            notes.append(f"{clean_text(path.name, 60)} was not taken: {why}.")
            continue
        content = file.read(MAX_FILE_BYTES + 1)
        if path.name != REPORT and content.startswith(LFS_POINTER):
            raise NothingToGrade(
                f"{clean_text(str(path), 200)} in the archive is a pointer of Git LFS, not the file itself."
            )
        files[path.name] = content
    return files, notes[:MAX_SENTENCES]


def is_of_this_run(archive: Path) -> bool:
    """Or does collect's index say that it could not be fetched anew? Then it is not graded either."""
    if not (archive.parent / INDEX).exists():
        return True
    about = read_index(archive.parent).get(archive.name.removesuffix(".tar.gz"))
    if about is None or not (about["error"] or about.get("empty")):
        return True
    complain(f"{archive.name}: not unpacked: {about['error'] or 'the repository is empty now'}")
    return False


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader unpack`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m grader unpack",
        description="Unpack the archives.",
        epilog="A folder of a former archive is renewed. Exit status: 0; 1 when an archive holds nothing to grade, "
        "can't be read, is not of the last collecting or can't be unpacked; 2 for wrong usage; 130 when it was "
        "interrupted.",
    )
    parser.add_argument("archives", type=Path, help="what collect has written")
    parser.add_argument("--out", type=Path, required=True, help="a folder for each archive")
    options = parser.parse_args(arguments)
    print_what_can_be()
    try:
        with interrupted_by_signals():
            return unpack_all(options.archives, options.out)
    except KeyboardInterrupt:
        complain("unpack: stopped; what was unpacked stays")
        return INTERRUPTED
    except UsageError as error:
        complain(f"unpack: {error}")
    except OSError as error:
        complain(f"unpack: can't write {error.filename or options.out}: {error.strerror}")
    return 2


def unpack_all(archives: Path, out: Path) -> int:
    """A folder for each archive; returns the exit status. Raises `UsageError` if there is no archive."""
    paths = sorted(archives.glob("*.tar.gz"))
    if not paths:
        raise UsageError(f"{archives} holds no archive NAME.tar.gz")
    of_this_run = [path for path in paths if is_of_this_run(path)]
    status = int(of_this_run != paths)
    out.mkdir(parents=True, exist_ok=True)
    for archive in of_this_run:
        folder = out / archive.name.removesuffix(".tar.gz")
        try:
            with tempfile.TemporaryDirectory(dir=out, prefix=".unpack-") as name:  # whole or not at all
                for note in unpack(archive, Path(name, "new")):
                    say(f"{archive.name}: {note}")
                renew(folder, Path(name, "new"))
        except (BadArchive, NothingToGrade) as error:
            complain(f"{archive.name}: {error}")
            status = 1
        except OSError as error:
            complain(f"{archive.name}: can't write {folder}: {error.strerror or error}")
            status = 1
    return status


def renew(folder: Path, new: Path) -> None:
    """Put a new folder in the place of an older one, which is kept aside; the same files stay as they are."""
    if folder.exists():
        if contents(folder) == contents(new):
            return
        former = folder.parent / ".former" / folder.name
        shutil.rmtree(former, ignore_errors=True)
        former.parent.mkdir(exist_ok=True)
        folder.rename(former)
        say(f"{folder.name}: renewed; the older one is {former}")
    new.rename(folder)


def contents(folder: Path) -> dict[str, bytes]:
    """Name -> content of the plain files."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and not path.is_symlink()}
