"""The copy of a submission that is graded: the files that `batching_lab.submission.files` names."""

from pathlib import Path

from batching_lab.submission.files import submitted_files

THE_FOLDER_IS_A_LINK = "The submission's folder is a link; what it leads to was graded."


def copy_submission(folder: Path, to: Path) -> list[str]:
    """Copy what is graded; return a sentence for each file that is left out."""
    to.mkdir()
    files, left_out = submitted_files(folder)
    if folder.is_symlink():
        left_out.insert(0, THE_FOLDER_IS_A_LINK)
    for name, content in files.items():
        (to / name).write_bytes(content)
    return left_out
