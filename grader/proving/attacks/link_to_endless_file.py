"""answers.toml and a module are links to /dev/zero."""

from collections.abc import Callable
from pathlib import Path

MECHANISM = "links"
WHERE = "files"
PART = "0"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    for name in ("answers.toml", "helper.py"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to("/dev/zero")
