"""What can be said against a run of the GPU stage, and whether it is a grade all the same."""

import functools
from enum import Enum

from grader.gpu.statistics import STEADY_SPREAD
from grader.paths import Use, digest_for


class Flag(Enum):
    """A flag's word, what it means, and whether a run that has it gives points."""

    NOISY = (
        "noisy",
        f"the pairs' ratios spread by more than {STEADY_SPREAD:.0%} twice; the better series counts: look at it",
        True,
    )
    NO_ROOM = (
        "no room",
        "static batching was no slower than what full points take: this machine can't tell them apart",
        False,
    )
    IMPOSSIBLE_TIME = (
        "impossible time",
        "faster than the GPU's memory allows: don't trust the clock, look at it",
        False,
    )
    QUICK = ("quick", "two pairs only: a try, not a grade", False)

    def __init__(self, word: str, meaning: str, gives_points: bool) -> None:
        self.word = word
        self.meaning = meaning
        self.gives_points = gives_points

    def on(self, workload: str) -> str:
        """As a result notes it: the word, and on which workload."""
        return f"{self.word}: {workload}"


def flag_of(noted: str) -> Flag:
    """The flag behind what a result notes. Raises `KeyError` for what is none."""
    return {flag.word: flag for flag in Flag}[noted.partition(":")[0]]


def gives_points(noted: str) -> bool:
    """A flag that the stage does not know, written by hand say, takes no points."""
    return all(flag.gives_points for flag in Flag if flag.word == noted.partition(":")[0])


@functools.cache
def stage_code() -> str:
    """The digest of the code that times, the solution's among it; what grades all parts is in the key."""
    return "sha256:" + digest_for(Use.GPU)
