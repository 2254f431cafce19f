"""A folder of the submission is a link to everything, and so is scheduler.py to the solution."""

from collections.abc import Callable
from pathlib import Path

from grader.proving.attack import Attack


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    (folder / "all").symlink_to("/")
    (folder / "scheduler.py").unlink()
    (folder / "scheduler.py").symlink_to(fill_in("@ROOT@/solution/scheduler.py"))


ATTACK = Attack(
    mechanism="links",
    where="files",
    part="1",
    deserved=(),
    control="forged",
    build=build,
)
