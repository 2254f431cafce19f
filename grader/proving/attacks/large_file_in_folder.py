"""A module of 100 MB and a scheduler of 8 GB."""

from collections.abc import Callable
from pathlib import Path

from grader.proving.attack import Attack


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    """With holes: nothing is written."""
    for name, size in (("helper.py", 100 << 20), ("scheduler.py", 8 << 30)):
        with (folder / name).open("w", encoding="utf-8") as file:
            file.truncate(size)


ATTACK = Attack(
    mechanism="large files",
    where="files",
    part="1",
    deserved=(),
    not_shown="it would fill the memory of the machine",
    build=build,
)
