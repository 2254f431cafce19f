"""A module is a socket, another one a folder, answers.toml too."""

import socket
from collections.abc import Callable
from pathlib import Path

MECHANISM = "special files"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "nothing of the plain grader's is stopped by it"


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "helper.py"))
    (folder / "other.py").mkdir()
    (folder / "answers.toml").unlink()
    (folder / "answers.toml").mkdir()
