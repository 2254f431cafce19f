"""What of a submission folder is handed in and graded: the files named here, and no others."""

import os
import re
import stat
import sys
from pathlib import Path

from batching_lab.submission.loading import RESERVED_NAMES

MAX_FILE_BYTES = 1 << 20
MAX_FILES = 64
MAX_SENTENCES = 20
REQUIRED = ("scheduler.py", "kv_allocator.py", "answers.toml")
NEVER = {"conftest", "sitecustomize", "usercustomize"}
# No link is followed, and no pipe waited for, also if the file was exchanged since it was looked at.
OPEN_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))


def submitted_files(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """File name -> content, and a sentence for each file that is left out (of more than 20, for the first 20).

    answers.toml and the *.py files of the folder itself: no links, no other folders, nothing that configures Python or
    pytest or has the name of a module that others import.
    """
    files: dict[str, bytes] = {}
    left_out = []
    further = sorted({path.name for path in folder.glob("*.py")}.difference(REQUIRED))
    for name in [*REQUIRED, *further]:
        why = why_not(name)
        if not why and len(files) == MAX_FILES:
            why = f"a submission has at most {MAX_FILES} files"
        if not why:
            try:
                files[name] = read_plain_file(folder / name)
            except FileNotFoundError:
                continue
            except ValueError as error:
                why = str(error)
            except OSError as error:
                why = f"it can't be read: {error.strerror}"
        if why:
            shown = ascii(name)[1:-1]
            left_out.append(f"{shown if len(shown) <= 60 else shown[:57] + '...'} was not taken: {why}.")
    if len(left_out) > MAX_SENTENCES:
        left_out[MAX_SENTENCES:] = [f"{len(left_out) - MAX_SENTENCES} further files were not taken."]
    return files, left_out


def why_not(name: str) -> str:
    """Why a file of this name is left out; empty if it is not."""
    stem = name.removesuffix(".py")
    if stem != name and not re.fullmatch(r"[A-Za-z_]\w*", stem, re.ASCII):
        return "its name is no Python name in plain letters"
    if stem in NEVER:
        return "it is no part of a submission"
    if stem != name and (stem in sys.stdlib_module_names or stem in RESERVED_NAMES):
        return "it has the name of a module that others import"
    return ""


def read_plain_file(path: Path) -> bytes:
    """Raises `ValueError` for what is no file, for a link and for too large a file."""
    kind = path.lstat().st_mode
    if stat.S_ISLNK(kind):
        raise ValueError("it is a link")
    if not stat.S_ISREG(kind):
        raise ValueError("it is no plain file")
    with os.fdopen(os.open(path, OPEN_FLAGS), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is no plain file")
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise ValueError(f"it is larger than {MAX_FILE_BYTES >> 20} MiB")
    return content
