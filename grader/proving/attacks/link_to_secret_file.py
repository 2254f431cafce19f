"""A file of the submission is a link to a secret, which the code reads and prints."""

from collections.abc import Callable
from pathlib import Path

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "links"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "read the canary"
FILES = right_scheduler(
    top="print(open('notes.py').read() if __import__('os').path.exists('notes.py') else '')",
)


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    (folder / "notes.py").symlink_to(fill_in("@CANARY@"))
