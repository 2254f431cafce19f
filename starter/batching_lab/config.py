"""The limits that a scheduler must keep."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

Policy = Literal["static", "continuous"]
KVPolicy = Literal["guaranteed_no_evict", "max_utilization"]

SCHEDULER_CLASSES: dict[Policy, str] = {"static": "StaticScheduler", "continuous": "ContinuousScheduler"}


def require_int(name: str, value: object, minimum: int) -> None:
    """Raise `ValueError` unless `value` is an int (no bool, no float) of at least `minimum`."""
    if type(value) is not int or value < minimum:
        raise ValueError(f"{name} must be an integer of at least {minimum}, not {value!r}")


@dataclass(frozen=True)
class SchedulerConfig:
    """What one tick may hold.

    max_num_seqs            slots: how many sequences may be running at once
    max_num_batched_tokens  token budget of one tick, None for no limit
    enable_chunked_prefill  may a prompt be computed in pieces, over several ticks?
    prefill_chunk_size      most tokens of one sequence in one tick; ignored without chunked prefill
    kv_policy               "guaranteed_no_evict": admit only if everybody's worst case fits;
                            "max_utilization": admit what fits now, growth may preempt

    Raises `ValueError` for a limit below 1 or an unknown policy.
    """

    max_num_seqs: int
    max_num_batched_tokens: int | None = None
    enable_chunked_prefill: bool = False
    prefill_chunk_size: int | None = None
    kv_policy: KVPolicy = "guaranteed_no_evict"

    def __post_init__(self) -> None:
        require_int("max_num_seqs", self.max_num_seqs, 1)
        if self.max_num_batched_tokens is not None:
            require_int("max_num_batched_tokens", self.max_num_batched_tokens, 1)
        if type(self.enable_chunked_prefill) is not bool:
            raise ValueError(f"enable_chunked_prefill must be True or False, not {self.enable_chunked_prefill!r}")
        if self.prefill_chunk_size is not None:
            require_int("prefill_chunk_size", self.prefill_chunk_size, 1)
        if self.kv_policy not in get_args(KVPolicy):
            raise ValueError(f"kv_policy must be one of {', '.join(get_args(KVPolicy))}, not {self.kv_policy!r}")


def limits_for(policy: Policy, config: SchedulerConfig) -> SchedulerConfig:
    """What a scheduler is held to: static batching knows slots and KV blocks only."""
    if policy == "continuous":
        return config
    return replace(config, max_num_batched_tokens=None, enable_chunked_prefill=False, kv_policy="guaranteed_no_evict")


def limits_of(scheduler: object) -> SchedulerConfig | None:
    """What a scheduler is held to by its own `config`; None if it has none.

    Its policy is that of the first of its classes that has a name of `SCHEDULER_CLASSES`.
    """
    config = getattr(scheduler, "config", None)
    if not isinstance(config, SchedulerConfig):
        return None
    policies = {name: policy for policy, name in SCHEDULER_CLASSES.items()}
    names = (cls.__name__ for cls in type(scheduler).__mro__)  # the class itself comes first
    return limits_for(next((policies[name] for name in names if name in policies), "continuous"), config)
