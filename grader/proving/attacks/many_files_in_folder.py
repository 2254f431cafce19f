"""10,000 modules with long names."""

from collections.abc import Callable
from pathlib import Path

MECHANISM = "large files"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "the plain grader copies nothing and lists nothing"


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    for number in range(10_000):
        (folder / f"{'long' * 50}{number}.py").touch()
