"""Serves a workload with a model and judges the run: every KV slot that was read, then every token that was sampled."""

import contextlib
import functools
from collections.abc import Callable, Generator
from dataclasses import dataclass

import torch

from batching_lab.checks import ViolationInRun
from batching_lab.harness import Harness, Workload
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.graphs import StepGraphs
from batching_lab.model.judging.logits import logit_gaps
from batching_lab.model.judging.shadow import KVFault, find_kv_faults
from batching_lab.model.llama import Llama
from batching_lab.model.run_log import RunLog
from batching_lab.trace import Trace

BLOCK_RULES = {"blocks_held", "blocks_released", "block_table", "block_id", "block_owner", "free_blocks"}


@dataclass(frozen=True)
class JudgedRun:
    """A run in which nothing was wrong.

    largest_gap  by how much the logit of a sampled token missed the largest one, at most
    """

    trace: Trace
    log: RunLog
    largest_gap: float


def serve_and_judge(
    lab: Harness, workload: Workload, model: Llama, *, reference: Llama | None = None, graphs: StepGraphs | None = None
) -> JudgedRun:
    """Serve a workload that has a KV pool.

    reference  a float32 model, with which the sampled tokens are compared; None: the model itself
    graphs     see `ModelExecutor`

    Raises `RuleViolation` for the first rule that is broken. Where that is a rule about blocks, the workload is
    served once more and the loop's checks only take note, to tell what the model reads in the wrong place.
    """
    with one_thread():
        return judged_run(
            lab, workload, functools.partial(logging_executor, workload, model, graphs), reference or model
        )


def judged_run(
    lab: Harness, workload: Workload, make_executor: Callable[[], ModelExecutor], reference: Llama
) -> JudgedRun:
    """As `serve_and_judge`, with an executor of its own for each run."""
    executor = make_executor()
    try:
        trace = lab.serve(workload, executor)
    except ViolationInRun as violation:
        if violation.rule in BLOCK_RULES:
            again = make_executor()
            with contextlib.suppress(Exception):  # a broken allocator may raise anything, later
                lab.serve(workload, again, "record")
            for fault in find_kv_faults(log_of(again), workload.jobs):
                raise what_was_read(fault, violation) from None
        raise
    log = log_of(executor)
    for fault in find_kv_faults(log, workload.jobs):
        raise fault.violation()
    gaps = logit_gaps(reference, log, workload.jobs)
    for gap in gaps:
        if gap.exceeds():
            raise gap.violation()
    return JudgedRun(trace, log, max((gap.gap for gap in gaps), default=0.0))


@contextlib.contextmanager
def one_thread() -> Generator[None]:
    """Small models gain nothing from more, and in a forked process, as graders use, PyTorch's threads may hang."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def logging_executor(workload: Workload, model: Llama, graphs: StepGraphs | None = None) -> ModelExecutor:
    """An executor that keeps a log. Raises `ValueError` for a workload without a pool."""
    if workload.pool is None:
        raise ValueError("the model needs a pool of KV blocks")
    return ModelExecutor(model, workload.jobs, *workload.pool, log=True, graphs=graphs)


def log_of(executor: ModelExecutor) -> RunLog:
    """The log that an executor was told to keep."""
    assert executor.log is not None
    return executor.log


def what_was_read(fault: KVFault, violation: ViolationInRun) -> ViolationInRun:
    """The violation that names what the model read, and what the loop had seen of it."""
    loop = f"the loop, in tick {violation.tick}: {{}}"
    told = fault.violation()
    text = f"{fault.what} ({loop.format(violation.what)})"
    seen = f"{fault.seen} ({loop.format(violation.seen)})" if violation.seen else fault.seen
    return ViolationInRun(told.rule, told.tick, text, told.request_id, seen, violation.trace, None)
