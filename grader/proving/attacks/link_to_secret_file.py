"""A file of the submission is a link to a secret, which the code reads and prints."""

from collections.abc import Callable
from pathlib import Path

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    (folder / "notes.py").symlink_to(fill_in("@CANARY@"))


ATTACK = Attack(
    mechanism="links",
    where="files",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="read the canary",
    files=right_scheduler(
        top="print(open('notes.py').read() if __import__('os').path.exists('notes.py') else '')",
    ),
    build=build,
)
