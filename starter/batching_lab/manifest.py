"""What of a submission folder is handed in and graded: the files named here, and no others."""

from pathlib import Path

REQUIRED = ("scheduler.py", "kv_allocator.py", "answers.toml")
MAX_FILE_BYTES = 1 << 20
MAX_FILES = 64
NEVER = {"conftest.py", "sitecustomize.py", "usercustomize.py"}


def submitted_files(folder: Path) -> tuple[list[Path], list[str]]:
    """answers.toml and the *.py files of the folder itself, and a sentence for each file that is left out.

    No links, no other folders, nothing that configures Python or pytest.
    """
    files, left_out = [], []
    for path in [folder / "answers.toml", *sorted(folder.glob("*.py"))]:
        if path.name in NEVER or path.is_symlink():
            left_out.append(
                f"{path.name} was not taken: it is {'a link' if path.is_symlink() else 'no part of a submission'}."
            )
        elif path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
            left_out.append(f"{path.name} was not taken: it is larger than {MAX_FILE_BYTES >> 20} MiB.")
        elif path.is_file():
            files.append(path)
    for path in files[MAX_FILES:]:
        left_out.append(f"{path.name} was not taken: a submission has at most {MAX_FILES} files.")
    return files[:MAX_FILES], left_out
