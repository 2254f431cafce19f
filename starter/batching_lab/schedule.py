"""What a scheduler decides for one tick."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Schedule:
    """The decision of one boundary.

    num_scheduled_tokens  request id -> m >= 1 tokens to compute in this tick, in the order scheduled
    preempted             ids preempted at this boundary, in that order
    """

    num_scheduled_tokens: dict[str, int]
    preempted: tuple[str, ...] = ()
