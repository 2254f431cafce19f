"""Compares a submission with the rules of the tick on random workloads, at every tick.

What should happen comes from `oracle.py`, which computes it anew for each workload.
"""

from collections.abc import Iterable

from batching_lab.harness import Harness, Workload
from batching_lab.schedule import Schedule
from grader.hidden.oracle import expected_run


def check_random_runs(lab: Harness, workloads: Iterable[Workload]) -> None:
    """Serve the workloads until one differs: in a tick, or in who is refused.

    Raises `Mismatch` for its first tick that differs, or `RuleViolation` for a rule that the loop saw broken.
    """
    for w in workloads:
        expected = expected_run(w.policy, w.jobs, w.config, w.num_blocks, w.block_size)
        ticks = [Schedule(tick.num_scheduled_tokens, tick.preempted) for tick in expected.ticks]
        lab.compare(w, ticks, list(expected.refused))
