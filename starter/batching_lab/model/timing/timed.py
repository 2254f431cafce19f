"""Runs of a workload with a model against the clock."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from batching_lab.harness import Workload
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.llama import Llama
from batching_lab.model.run_log import RunLog
from batching_lab.request import Job
from batching_lab.timing.stopwatch import Stopwatch
from batching_lab.trace import Trace


@dataclass(frozen=True)
class TimedRun:
    """A run of a workload: what happened, when, and its log, by which it can be judged now that time is taken."""

    trace: Trace
    watch: Stopwatch
    log: RunLog

    @property
    def seconds(self) -> float:
        """From the first tick's start to the end of the last."""
        return self.watch.seconds


def timed_run(llama: Llama, workload: Workload, serve: Callable[[Workload, Stopwatch], Trace]) -> TimedRun:
    """Let `serve` run a workload with the model. Output lengths are fixed, so that every run does the same work."""
    assert workload.pool is not None
    executor = ModelExecutor(llama, workload.jobs, *workload.pool, log=True)
    watch = Stopwatch(executor, workload.jobs)
    trace = serve(workload, watch)
    assert executor.log is not None
    return TimedRun(trace, watch, executor.log)


def with_random_prompts(jobs: Iterable[Job], vocab_size: int, seed: int) -> list[Job]:
    """The same jobs with distinct prompts of tokens that the model has."""
    rng = random.Random(seed)
    changed = []
    for job in jobs:
        prompt = tuple(rng.randrange(vocab_size) for _ in job.request.prompt_token_ids)
        changed.append(replace(job, request=replace(job.request, prompt_token_ids=prompt)))
    return changed
