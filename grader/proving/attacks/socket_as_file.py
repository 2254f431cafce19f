"""A module is a socket, another one a folder, answers.toml too."""

import socket
from collections.abc import Callable
from pathlib import Path

from grader.proving.attack import Attack


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "helper.py"))
    (folder / "other.py").mkdir()
    (folder / "answers.toml").unlink()
    (folder / "answers.toml").mkdir()


ATTACK = Attack(
    mechanism="special files",
    where="files",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="nothing of the plain grader's is stopped by it",
    build=build,
)
