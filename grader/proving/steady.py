"""Is a grade the same every time? One submission graded again and again, in another order, on a busy machine."""

import contextlib
import multiprocessing
import os
import random
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from grader.grading.options import GradingOptions
from grader.grading.rubric import Part
from grader.grading.run_tests import run_in_sandbox
from grader.grading.runnable import runnable_parts

# Over the solution: a scheduler whose choices depend on addresses and on random numbers.
UNDECIDED = [
    (
        "scheduler.py",
        "for sequence in list(self.running.values()):",
        "for sequence in set(self.running.values()):",
    ),
    (
        "scheduler.py",
        "= sequence.num_uncomputed_tokens if is_chunked",
        "= random.choice((1, sequence.num_uncomputed_tokens)) if is_chunked",
    ),
    ("scheduler.py", "import sys\n", "import random\nimport sys\n"),
]


OPTIONS = GradingOptions("full", isolation="best")


def outcomes_of(folder: Path, times: int, seed: int = 0, part_ids: list[str] | None = None) -> list[str]:
    """What differs at all between `times` gradings, as text: one entry if nothing does.

    Scores, states and messages count, times do not. Each grading runs the tests in an order of its own.
    """
    parts = [part for part in runnable_parts() if part_ids is None or part.id in part_ids]
    seen: dict[str, None] = {}
    for number in range(times):
        ran = run_in_sandbox(folder, shuffled(parts, random.Random(seed + number)), OPTIONS)
        lines = [f"{test.id} {test.score} {test.status} {test.message}" for _, test in sorted(ran.outcomes.items())]
        seen["\n".join(lines)] = None
    return list(seen)


def shuffled(parts: list[Part], rng: random.Random) -> list[Part]:
    """The parts, and the tests within each, in a random order."""
    parts = [replace(part, tests=tuple(rng.sample(part.tests, len(part.tests)))) for part in parts]
    return rng.sample(parts, len(parts))


@contextlib.contextmanager
def busy_machine() -> Generator[None]:
    """All processors have something else to do."""
    burners = [multiprocessing.Process(target=burn, daemon=True) for _ in range(multiprocessing.cpu_count())]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.join()


def burn() -> None:
    """Compute for ever."""
    os.nice(19)  # it takes what is left: beside its equals every message to a worker would wait for a turn
    while True:
        pass
