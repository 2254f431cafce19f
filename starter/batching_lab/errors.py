"""The exceptions of the lab."""

from typing import TYPE_CHECKING

from batching_lab.rules import RULES

if TYPE_CHECKING:
    from batching_lab.difference import Difference
    from batching_lab.schedule import Schedule
    from batching_lab.trace import Trace


class OutOfBlocks(Exception):
    """`allocate` needs more KV blocks than are free. Nothing was allocated."""


class RequestTooLong(ValueError):
    """`add_request` refuses a request that might never finish under this configuration."""


class RuleViolation(Exception):
    """The serving loop saw a rule broken.

    rule        a key of `batching_lab.rules.RULES`
    tick        the tick in which it was seen; at a boundary, the tick that follows
    request_id  the request concerned, None if the whole tick is
    seen        what happened, as `what`, but without a number of the workload; "" if the rule says it all
    trace       the run up to there
    decision    what the scheduler decided in that tick, if it had
    table       for a test's report: what was expected and what came, tick by tick
    """

    trace: "Trace | None" = None
    decision: "Schedule | None" = None
    difference: "Difference | None" = None  # from the ticks that a test expects, if there is one in that tick
    table: str = ""

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
