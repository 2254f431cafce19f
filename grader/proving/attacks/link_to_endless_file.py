"""answers.toml and a module are links to /dev/zero."""

from collections.abc import Callable
from pathlib import Path

from grader.proving.attack import Attack


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    for name in ("answers.toml", "helper.py"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to("/dev/zero")


ATTACK = Attack(
    mechanism="links",
    where="files",
    part="0",
    deserved=(),
    control="hung",
    build=build,
)
