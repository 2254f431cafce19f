"""What an attack is: hostile files, what their code deserves, and what they achieve against a plain grader."""

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from grader.paths import ATTACKS

NAMES = sorted(path.stem for path in ATTACKS.glob("*_*.py"))
PlantedPart = Literal["0", "1", "2", "3"]
PLANTED: dict[PlantedPart, tuple[str, ...]] = {
    "0": ("planted_answer",),
    "1": ("planted_run", "planted_calls"),
    "2": ("planted_pool", "planted_copy"),
    "3": ("planted_blocks",),
}
Effect = Literal[  # what can be seen of an attack afterwards
    "read the canary",
    "connected",
    "left a file",
    "left a process",
    "killed another process",
    "succeeded",  # it said so
    "flooded",
    "leaked",
    "forged",  # these three: of the plain grader only
    "died",
    "hung",
]


@dataclass(frozen=True, kw_only=True)
class Attack:
    """The `ATTACK` of a file of grader/proving/attacks.

    mechanism        how it works; the same words in related files
    where            where it happens
    part             of the planted tests
    deserved         the planted tests that the code passes honestly, also while it attacks
    control          what it achieves against the plain grader; "": nothing
    control_before   the version of Python in which it achieves that no more
    control_options  pytest's options there
    not_shown        instead of `control`: why that can't be shown
    needs_isolation  only the operating system stops what it does; without, it must still win no point
    wins_without     why it wins points where the operating system does not isolate
    only_isolated    why it is not run without the isolation
    sleeps           it uses no processor time: the wall clock must stop it
    kills            it may kill the grader: run that in a process of its own
    files            name -> text of the hostile files; they lie over the solution's
    build            makes in the folder what no text can say; its second argument fills in @CANARY@ and the like
    name, what       its file's name and docstring: `load_attack` fills them in
    """

    mechanism: str
    where: str
    part: PlantedPart
    deserved: tuple[str, ...]
    control: Effect | Literal[""] = ""
    control_before: tuple[int, ...] = (4,)
    control_options: tuple[str, ...] = ()
    not_shown: str = ""
    needs_isolation: bool = False
    wins_without: str = ""
    only_isolated: str = ""
    sleeps: bool = False
    kills: bool = False
    files: Mapping[str, str] = field(default_factory=dict)
    build: Callable[[Path, Callable[[str], str]], None] | None = None
    name: str = ""
    what: str = ""

    @property
    def tests(self) -> tuple[str, ...]:
        """The planted tests of its part."""
        return PLANTED[self.part]

    @property
    def expected_control(self) -> Effect | Literal[""]:
        """What it achieves against the plain grader under this Python."""
        return "" if sys.version_info >= self.control_before else self.control


def load_attack(name: str) -> Attack:
    """The attack of this name. Raises `ModuleNotFoundError` if there is none."""
    module = importlib.import_module(f"grader.proving.attacks.{name}")
    attack: Attack = module.ATTACK
    return replace(attack, name=name, what=(module.__doc__ or "").strip())
