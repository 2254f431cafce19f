"""For hidden tests that call a scheduler themselves, without the loop.

The messages go to students: they say what differs, and give no expected number and no id that a submission made up.
"""

from dataclasses import replace

from batching_lab.difference import first_difference
from batching_lab.errors import RequestTooLong
from batching_lab.harness import require
from batching_lab.interfaces import Scheduler
from batching_lab.schedule import Schedule


def decide(scheduler: Scheduler, expected: Schedule, situation: str) -> None:
    """Call `schedule` once and require this decision; only then does the caller know what to sample.

    situation  completes "schedule() decides wrongly for ..."

    Raises `Mismatch` for another decision.
    """
    schedule = scheduler.schedule()
    difference = what_differs(expected, schedule)
    require(not difference, f"schedule() decides wrongly for {situation}: {difference}")


def what_differs(expected: Schedule, got: Schedule) -> str:
    """What is wrong with one decision, "" if nothing is; an id that is not expected may be made up: no word of it."""
    difference = first_difference([expected], [got])
    if difference is None:
        return ""
    if difference.request_id not in {*expected.num_scheduled_tokens, *expected.preempted, None}:
        difference = replace(difference, request_id="another sequence")
    return difference.text.partition(":")[0]  # what follows is about who was running, which is not known here


def name_of(error: Exception) -> str:
    """The name of an exception as a student knows it; a worker's has another class.

    Raises `StopIteration` for one that is neither `RequestTooLong`, `ValueError` nor `KeyError`.
    """
    return next(kind.__name__ for kind in (RequestTooLong, ValueError, KeyError) if isinstance(error, kind))
