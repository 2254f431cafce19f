"""What of a submission folder is handed in and graded: the files named here, and no others."""

import re
import sys
from pathlib import Path

from batching_lab.submission import RESERVED_NAMES

MAX_FILE_BYTES = 1 << 20
MAX_FILES = 64
REQUIRED = ("scheduler.py", "kv_allocator.py", "answers.toml")
NEVER = {"conftest", "sitecustomize", "usercustomize"}


def submitted_files(folder: Path) -> tuple[dict[str, bytes], list[str]]:
    """File name -> content, and a sentence for each file that is left out.

    answers.toml and the *.py files of the folder itself: no links, no other folders, nothing that configures Python or
    pytest or has the name of a module that others import.
    """
    files: dict[str, bytes] = {}
    left_out = []
    further = sorted(path.name for path in folder.glob("*.py") if path.name not in REQUIRED)
    for name in [*REQUIRED, *further]:
        path = folder / name
        why = why_not(path)
        if not why and len(files) == MAX_FILES:
            why = f"a submission has at most {MAX_FILES} files"
        if not why and path.is_file():
            try:
                files[name] = path.read_bytes()
            except OSError as error:
                why = f"it can't be read: {error.strerror}"
        if why:
            left_out.append(f"{ascii(name)[1:-1]} was not taken: {why}.")
    return files, left_out


def why_not(path: Path) -> str:
    """Why a file is left out; empty if it is not."""
    if path.is_symlink():
        return "it is a link"
    if path.suffix == ".py" and not re.fullmatch(r"[A-Za-z_]\w*", path.stem, re.ASCII):
        return "its name is no Python name in plain letters"
    if path.stem in NEVER:
        return "it is no part of a submission"
    if path.suffix == ".py" and (path.stem in sys.stdlib_module_names or path.stem in RESERVED_NAMES):
        return "it has the name of a module that others import"
    if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
        return f"it is larger than {MAX_FILE_BYTES >> 20} MiB"
    return ""
