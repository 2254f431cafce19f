"""Takes the files that are graded out of repositories' archives, and nothing else.

`python -m grader.classroom.unpack ARCHIVES --out SUBMISSIONS`: a folder for each NAME.tar.gz, for the GPU stage.
"""

import argparse
import shutil
import sys
import tarfile
from pathlib import Path, PurePosixPath

from batching_lab.manifest import MAX_FILE_BYTES, MAX_FILES

MAX_ARCHIVE_BYTES = 500 << 20  # unpacked


class BadArchive(Exception):
    """The archive can't be read; one sentence."""


def unpack(archive: Path, folder: Path) -> None:
    """Write what lies in TOP/starter/ of a .tar.gz, plain files only, into a new folder."""
    folder.mkdir(parents=True)
    num_bytes = num_files = 0
    try:
        with tarfile.open(archive, "r|gz") as tar:
            for member in tar:
                num_bytes += member.size
                if num_bytes > MAX_ARCHIVE_BYTES:
                    raise BadArchive(f"the repository is larger than {MAX_ARCHIVE_BYTES >> 20} MiB")
                parts = PurePosixPath(member.name).parts
                if len(parts) != 3 or parts[1] != "starter" or not is_graded(parts[2]) or not member.isfile():
                    continue
                if member.size > MAX_FILE_BYTES or num_files == MAX_FILES:
                    continue
                file = tar.extractfile(member)
                if file is not None:
                    num_files += 1
                    (folder / parts[2]).write_bytes(file.read())
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise BadArchive(f"the repository's archive can't be read: {type(error).__name__}") from None


def is_graded(name: str) -> bool:
    """The manifest's own rules are applied later; here only what no file name may hold."""
    return (name == "answers.toml" or name.endswith(".py")) and not set(name) & set('\\/:*?"<>|\0')


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m grader.classroom.unpack", description="Unpack the archives.")
    parser.add_argument("archives", type=Path, help="what collect has written")
    parser.add_argument("--out", type=Path, required=True, help="a folder for each archive; those that are there stay")
    options = parser.parse_args(arguments)
    status = 0
    for archive in sorted(options.archives.glob("*.tar.gz")):
        folder = options.out / archive.name.removesuffix(".tar.gz")
        if folder.exists():
            continue
        try:
            unpack(archive, folder)
        except BadArchive as error:
            shutil.rmtree(folder)  # so that the next run tries again
            print(f"{archive.name}: {error}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
