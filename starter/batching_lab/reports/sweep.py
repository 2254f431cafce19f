"""Serves one workload again and again with one thing changed, and measures each run."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from batching_lab.harness import Workload
from batching_lab.reports.waits import waits
from batching_lab.request import Job, Request
from batching_lab.trace import RequestRecord, Trace, UnitCost
from batching_lab.workloads.command_line import OPTIONS

Setting = int | str | None  # what an option is set to; None: no limit
Measure = int | float | str | None  # None: there is nothing to measure

CONFIG_LIMITS = ("slots", "token-budget", "chunk-size", "kv-policy")
LIMITS = (*CONFIG_LIMITS, "blocks", "block-size")
SHARES = ("slots-in-use", "kv-in-use", "kv-waste")  # measures that are shares of a whole, 0 to 1


def varied(workload: Workload, name: str, setting: Setting, new_block_size: int | None = None) -> Workload:
    """The workload with one of `LIMITS` changed, or the output length of the job called `name`.

    A change of the block size keeps the pool's size in tokens: it has fewer blocks if they are larger.

    new_block_size  tokens a block where `blocks` gives a pool to a workload that has none

    Raises `ValueError` for a limit that nothing depends on in this workload, and for a wrong setting.
    """
    require_effect(workload, name)
    if name in CONFIG_LIMITS:
        change: dict[str, Any] = {OPTIONS[name]: setting}
        return replace(workload, config=replace(workload.config, **change))
    if type(setting) is not int or setting < 1:
        raise ValueError(f"{name} must be an integer of at least 1, not {setting!r}")
    if name == "blocks":
        return replace(workload, num_blocks=setting, block_size=workload.block_size or new_block_size)
    if name == "block-size":
        return with_block_size(workload, setting)
    jobs = [with_output(job, setting) if job.request.request_id == name else job for job in workload.jobs]
    return replace(workload, jobs=jobs)


def require_effect(workload: Workload, name: str) -> None:
    """Raise `ValueError` if the workload has nothing that `name` could change."""
    if name not in LIMITS and name not in workload.request_ids:
        raise ValueError(f"there is no job {name}, and it is none of {', '.join(LIMITS)}")
    if name == "chunk-size" and not workload.config.enable_chunked_prefill:
        raise ValueError("chunk-size changes nothing without --chunked-prefill")
    if name in ("kv-policy", "block-size") and workload.num_blocks is None:
        raise ValueError(f"{name} changes nothing without --blocks")


def with_block_size(workload: Workload, block_size: int) -> Workload:
    """The workload with larger or smaller blocks, in a pool of the same size in tokens, rounded down."""
    num_slots = (workload.num_blocks or 0) * (workload.block_size or 0)
    if block_size > num_slots:
        raise ValueError(f"a pool of {num_slots} tokens has no block of {block_size}")
    return replace(workload, num_blocks=num_slots // block_size, block_size=block_size)


def with_output(job: Job, output_len: int) -> Job:
    """The job with another output length, which is its `max_tokens` too, unless that was given for itself."""
    request = job.request
    max_tokens = output_len if request.eos_token_id is None else request.max_tokens
    request = Request(request.request_id, request.prompt_token_ids, max_tokens, request.eos_token_id)
    return replace(job, request=request, output_len=output_len)


def measure(trace: Trace, watch: str | None = None, cost: UnitCost | None = None) -> dict[str, Measure]:
    """The measures of a run: column -> value. All times in ticks, but `...units`.

    watch  the request to look at: wait, ttft, finish
    cost   what a tick costs: adds the measures in units
    """
    requests = list(trace.requests.values())
    measures: dict[str, Measure] = {"ticks": trace.num_ticks, "refused": len(trace.refused)}
    measures["slots-in-use"] = trace.slot_utilization
    if watch is not None:
        measures["wait"] = wait(trace, watch)
        measures["ttft"] = trace.requests[watch].ttft
        measures["finish"] = finish(trace.requests[watch])
    measures["ttft-mean"] = mean(trace.ttft.values())
    measures["ttft-max"] = max(trace.ttft.values(), default=None)
    measures["longest-gap"] = max((gap for request in requests for gap in request.gaps), default=None)
    if trace.num_blocks is not None:
        measures["kv-in-use"] = trace.kv_utilization
        measures["kv-waste"] = kv_waste(trace)
        measures["preemptions"] = trace.num_preemptions
        measures["recomputed"] = trace.num_recomputed_tokens
    if cost is not None:
        measures |= unit_measures(trace, watch, cost)
    return measures


def unit_measures(trace: Trace, watch: str | None, cost: UnitCost) -> dict[str, Measure]:
    """The same in units: a token comes at the end of its tick, a request at the end of the tick of its arrival."""
    found = waits(trace, cost)
    measures: dict[str, Measure] = {"units": found.total}
    if watch is not None:
        measures["ttft-units"] = found.ttft.get(watch)
    measures["ttft-mean-units"] = mean(found.ttft.values())
    measures["ttft-max-units"] = max(found.ttft.values(), default=None)
    measures["longest-gap-units"] = max(found.gaps, default=None)
    return measures


def wait(trace: Trace, request_id: str) -> int | None:
    """How many ticks a request stood in the queue before it ran for the first time. None: it never ran."""
    for tick in trace.ticks:
        if request_id in tick.num_scheduled_tokens:
            return tick.tick - 1 - trace.requests[request_id].arrival
    return None


def finish(request: RequestRecord) -> int | str:
    """The tick in which a request finished, or how else it ended."""
    return request.status if request.finish_tick is None else request.finish_tick


def kv_waste(trace: Trace) -> float | None:
    """Share of the KV slots in held blocks that hold no token, over all ticks. None if no block was held."""
    num_held = sum(tick.blocks_used for tick in trace.ticks) * (trace.block_size or 0)
    num_filled = 0
    computed: dict[str, int] = {}  # of each running request, how many tokens
    for tick in trace.ticks:
        for request_id in (*tick.preempted, *tick.aborted):
            computed.pop(request_id, None)
        for request_id, num_tokens in tick.num_scheduled_tokens.items():
            computed[request_id] = computed.get(request_id, 0) + num_tokens
        num_filled += sum(computed.values())
        for request_id in tick.finished:
            del computed[request_id]
    return 1 - num_filled / num_held if num_held else None


def mean(values: Iterable[float]) -> float | None:
    """None if there are no values."""
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None
