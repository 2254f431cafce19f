"""scheduler.py and answers.toml are named pipes: who opens them waits."""

import os
from collections.abc import Callable
from pathlib import Path

MECHANISM = "special files"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    for name in ("scheduler.py", "answers.toml"):
        (folder / name).unlink()
        os.mkfifo(folder / name)
