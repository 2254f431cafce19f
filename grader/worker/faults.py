"""What a submission can do wrong behind the channel, as the trusted side raises it.

The messages are sentences for the student. They hold nothing that the worker said except names that
were checked first, since its text might carry a hidden input.
"""

from typing import Literal

from batching_lab.errors import OutOfBlocks, RequestTooLong

FaultStatus = Literal["failed", "error", "timeout"]


class SubmissionFault(Exception):
    """A submission could not answer a call as the contract says. `status` is that of the test it was in."""

    status: FaultStatus = "error"
    tick: int | None = None  # in which it happened, if a scheduler was at work


class CannotLoad(SubmissionFault):
    """A file of the submission is missing, can't be imported, or lacks a class or method."""


class NotDone(SubmissionFault):
    """A method of the skeleton still raises `NotImplementedError`."""

    status = "failed"


class WorkerTimeout(SubmissionFault):
    """A call has not returned in the time that it had."""

    status = "timeout"


class OutOfTime(WorkerTimeout):
    """The part had no time left for the call."""

    def __init__(self, seconds: float) -> None:
        """seconds: what the part's tests had in all"""
        super().__init__(f"The {seconds:g} seconds that this part's tests have in all are used up.")


class WorkerDied(SubmissionFault):
    """The worker's process has ended."""


class ProtocolFault(SubmissionFault):
    """The worker sent something that is no reply to the question."""


class RaisedValueError(SubmissionFault, ValueError):
    """A method raised a `ValueError`."""


class RaisedRequestTooLong(RaisedValueError, RequestTooLong):
    """A method raised `RequestTooLong`."""


class RaisedKeyError(SubmissionFault, KeyError):
    """A method raised a `KeyError`."""

    def __str__(self) -> str:
        return str(self.args[0])


class RaisedOutOfBlocks(SubmissionFault, OutOfBlocks):
    """A method raised `OutOfBlocks`."""


CONTRACT_ERRORS: dict[str, type[SubmissionFault]] = {
    "RequestTooLong": RaisedRequestTooLong,
    "ValueError": RaisedValueError,
    "KeyError": RaisedKeyError,
    "OutOfBlocks": RaisedOutOfBlocks,
}
