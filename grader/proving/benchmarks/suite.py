"""What the project's own tests cost: processor time, beside a fixed piece of work on the same machine."""

import json
import os
import subprocess
import sys

# Processor seconds of `make selftest` at most: nine minutes, and a tenth, since the same run takes 5 % more or less.
BUDGET = 590.0
# Of that, what each worker of pytest-xdist takes for itself: it collects, and imports PyTorch.
WORKER_SECONDS, NUM_WORKERS = 15.0, 3
# What `piece_of_work` took where the budget was set: two cores, both busy with tests.
PIECE_SECONDS = 0.27


def processor_seconds() -> float:
    """Of this process and of the processes that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def piece_of_work() -> float:
    """Processor seconds of what tests mostly do: compute in Python, start interpreters."""
    before = processor_seconds()
    for _ in range(10):
        json.loads(json.dumps([{"id": str(number), "value": [number] * 10} for number in range(1000)]))
        subprocess.run([sys.executable, "-I", "-S", "-c", "import json, subprocess"], check=True)
    return processor_seconds() - before


def allowed(piece_seconds: float, num_workers: float) -> float:
    """The budget on this machine.

    A slower machine has more, as its piece of work takes longer: no right tree fails there. A faster one has no less:
    it need not be faster at all that tests do. More processors have more workers.
    """
    more_workers = WORKER_SECONDS * max(0, num_workers - NUM_WORKERS)
    return (BUDGET + more_workers) * max(1.0, piece_seconds / PIECE_SECONDS)


def what_it_cost(seconds: float, piece_seconds: float, num_workers: float) -> str:
    """One line for the log of each whole run."""
    return (
        f"In all: {seconds:.0f} seconds of processor time, of {allowed(piece_seconds, num_workers):.0f} "
        f"(a piece of work: {piece_seconds:.2f})."
    )


def too_much(seconds: float, piece_seconds: float, num_workers: float) -> str:
    """The sentence that says so; empty if a whole run has kept to the budget."""
    budget = allowed(piece_seconds, num_workers)
    if seconds <= budget:
        return ""
    return (
        f"The project's own tests took {seconds:.0f} seconds of processor time; their budget is {budget:.0f} on this "
        "machine (grader/proving/benchmarks/suite.py): make tests cheaper."
    )
