"""For hidden tests that call a scheduler themselves, without the loop."""

from batching_lab.harness import require
from batching_lab.interfaces import Scheduler
from batching_lab.schedule import Schedule


def decide(scheduler: Scheduler, expected: Schedule, situation: str) -> None:
    """Call `schedule` once and require this decision; only then does the caller know what to sample."""
    schedule = scheduler.schedule()
    same = list(schedule.num_scheduled_tokens.items()) == list(expected.num_scheduled_tokens.items())
    require(same and schedule.preempted == expected.preempted, f"schedule() decides wrongly for {situation}")
