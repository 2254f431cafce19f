"""How well a submission's process is kept away from the grader: what is wished, and what was found."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["full", "weak", "development"]
IsolationWish = Literal["required", "best", "off"]
NOT_ISOLATED = ["files", "network", "processes"]


class IsolationError(Exception):
    """The workers can't be shut off as they should be. The text is a sentence for the staff."""


@dataclass
class Isolation:
    """How well the submission was kept away from the grader, and what was missing."""

    level: Level
    missing: list[str]
