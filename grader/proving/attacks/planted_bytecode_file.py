"""The bytecode beside scheduler.py is another program than its text."""

import importlib.util
import py_compile
from collections.abc import Callable
from pathlib import Path

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    """An unchecked hash: Python never compares it with the text."""
    text = wrong_scheduler()["scheduler.py"]
    (folder / "scheduler.py").write_text(text + "print('SUCCEEDED')\n", encoding="utf-8")
    target = importlib.util.cache_from_source(str(folder / "scheduler.py"))
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(folder / "scheduler.py"), cfile=target, invalidation_mode=unchecked)
    (folder / "scheduler.py").write_text(text, encoding="utf-8")


ATTACK = Attack(
    mechanism="planted bytecode",
    where="files",
    part="1",
    deserved=(),
    control="succeeded",
    build=build,
)
