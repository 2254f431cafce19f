"""Compares a submission with section 3's rules on random workloads, at every tick."""

from collections.abc import Iterable

from batching_lab.harness import Harness, compare_refused, compare_ticks
from batching_lab.schedule import Schedule
from grader.expected import expected_run
from grader.workloads import RandomWorkload


def check_random_runs(lab: Harness, workloads: Iterable[RandomWorkload]) -> None:
    """Raise at the first tick of the first workload that differs."""
    for w in workloads:
        expected = expected_run(
            w.policy, w.jobs, w.config, w.num_blocks, None if w.num_blocks is None else w.block_size
        )
        trace = lab.run(w.policy, w.jobs, w.num_blocks, w.block_size, **vars(w.config))
        compare_refused(list(expected.refused), trace)
        compare_ticks([Schedule(tick.num_scheduled_tokens, tick.preempted) for tick in expected.ticks], trace, "")
