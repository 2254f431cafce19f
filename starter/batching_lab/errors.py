"""The exceptions of the lab."""

from batching_lab.rules import RULES


class OutOfBlocks(Exception):
    """`allocate` needs more KV blocks than are free. Nothing was allocated."""


class RequestTooLong(ValueError):
    """`add_request` refuses a request that might never finish under this configuration."""


class RuleViolation(Exception):
    """A rule was broken. From the serving loop it comes as a `checks.ViolationInRun`.

    rule        a key of `batching_lab.rules.RULES`
    tick        the tick in which it was seen; at a boundary, the tick that follows
    request_id  the request concerned, None if the whole tick is
    seen        what happened, as `what`, but without a number of the workload; "" if the rule says it all
    """

    def __init__(self, rule: str, tick: int, what: str, request_id: str | None = None, seen: str = "") -> None:
        super().__init__(f"Tick {tick}: {what}. Rule: {RULES[rule]}")
        self.rule = rule
        self.tick = tick
        self.what = what
        self.request_id = request_id
        self.seen = seen


class ModelError(ValueError):
    """A model can't be loaded or used as asked; the message is one sentence."""


class DeviceError(ModelError):
    """The GPU is taken, full or broken: with the same input it may work another time."""


class SubmissionError(Exception):
    """A submission can't be loaded or used; the message is one sentence for its author."""


class NeedsNewerPython(SubmissionError):
    """A file of a submission can be imported here, but not by the Python that grades."""
