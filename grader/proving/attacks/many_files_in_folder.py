"""10,000 modules with long names."""

from collections.abc import Callable
from pathlib import Path

from grader.proving.attack import Attack


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    for number in range(10_000):
        (folder / f"{'long' * 50}{number}.py").touch()


ATTACK = Attack(
    mechanism="large files",
    where="files",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="the plain grader copies nothing and lists nothing",
    build=build,
)
