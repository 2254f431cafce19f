"""scheduler.py and answers.toml are named pipes: who opens them waits."""

import os
from collections.abc import Callable
from pathlib import Path

from grader.proving.attack import Attack


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    for name in ("scheduler.py", "answers.toml"):
        (folder / name).unlink()
        os.mkfifo(folder / name)


ATTACK = Attack(
    mechanism="special files",
    where="files",
    part="1",
    deserved=(),
    control="hung",
    build=build,
)
