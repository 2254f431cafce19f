"""One run against the clock, and where its time went. Every clock is read on the trusted side."""

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch
from torch import Tensor

from batching_lab.config import SchedulerConfig
from batching_lab.harness import Policy, Workload
from batching_lab.interfaces import KVAllocator, Scheduler
from batching_lab.model.batch import Batch
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.graphs import PaddedBatch
from batching_lab.model.run_log import RunLog
from batching_lab.request import Request
from batching_lab.schedule import Schedule
from batching_lab.submission.loading import Submission
from batching_lab.timing.stopwatch import Stopwatch
from batching_lab.trace import Trace
from grader.gpu.engine import Engine
from grader.worker.channel import cpu_seconds
from grader.worker.client import Worker
from grader.worker.faults import OutOfTime
from grader.worker.proxies import WorkerHarness

T = TypeVar("T")


class WaitBudget:
    """How long a submission may be waited for in all its runs, on the wall clock.

    The worker's own time does not see naps of milliseconds, which slow a run down all the same. On a busy machine a
    call takes longer than it computes, but not three times as long: hence the factor.
    """

    FACTOR = 3

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.seconds_left = self.FACTOR * seconds

    def spend(self, seconds: float) -> None:
        """Raises `OutOfTime` when all is spent."""
        self.seconds_left -= seconds
        if self.seconds_left < 0:
            raise OutOfTime(self.seconds)


class ClockedScheduler:
    """Passes every call on, and notes when the first began and the last ended, and what they took.

    calling_seconds  from each question to its answer, added up
    working_seconds  the worker's own time in them; the rest is the channel's
    """

    def __init__(self, scheduler: Scheduler, worker: Worker, waited: WaitBudget) -> None:
        self.scheduler = scheduler
        self.worker = worker
        self.waited = waited
        self.began = 0.0
        self.ended = 0.0
        self.calling_seconds = 0.0
        self.working_seconds = 0.0
        self.cpu_began: float | None = None

    def add_request(self, request: Request) -> None:
        self._call(self.scheduler.add_request, request)

    def abort(self, request_id: str) -> None:
        self._call(self.scheduler.abort, request_id)

    def schedule(self) -> Schedule:
        return self._call(self.scheduler.schedule)

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        return self._call(self.scheduler.update, sampled)

    def has_unfinished(self) -> bool:
        return self.scheduler.has_unfinished()  # it came with the reply before

    def _call(self, method: Callable[..., T], *arguments: Any) -> T:
        start, left = time.perf_counter(), self.worker.budget.seconds_left
        if not self.began:
            self.began, self.cpu_began = start, cpu_seconds(self.worker.process.pid)
        try:
            answer = method(*arguments)
        finally:
            self.ended = time.perf_counter()
            self.calling_seconds += self.ended - start
            self.working_seconds += left - self.worker.budget.seconds_left
        self.waited.spend(self.ended - start)
        return answer

    def hidden_seconds(self) -> float:
        """Processor time that the worker used between the calls, while the model computed."""
        cpu = cpu_seconds(self.worker.process.pid)
        if cpu is None or self.cpu_began is None:
            return 0.0
        return max(0.0, cpu - self.cpu_began - self.working_seconds)


class ClockedHarness(WorkerHarness):
    """A `WorkerHarness` with the submission's own allocator that puts a clock on the scheduler of its last run."""

    clock: ClockedScheduler

    def __init__(self, submission: Submission, worker: Worker, waited: WaitBudget) -> None:
        super().__init__(submission, worker, own_allocator=True)
        self.waited = waited

    def scheduler(self, policy: Policy, config: SchedulerConfig, allocator: KVAllocator | None = None) -> Scheduler:
        """As in the base class, with a clock on it."""
        self.clock = ClockedScheduler(super().scheduler(policy, config, allocator), self.worker, self.waited)
        return self.clock


class ClockedExecutor(ModelExecutor):
    """Brackets what the GPU computes in each tick with events, which are read when the run is over."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, log=True, **options)
        self.events: list[tuple[Any, Any]] = []

    def forward(self, batch: Batch | PaddedBatch) -> Tensor:
        """As in the base class, between two events."""
        if self.model.device.type != "cuda":
            return super().forward(batch)
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        logits = super().forward(batch)
        end.record()
        self.events.append((start, end))
        return logits

    def gpu_seconds(self) -> float | None:
        """Between all pairs of events; None on a processor."""
        if not self.events:
            return None
        torch.cuda.synchronize()
        return float(sum(start.elapsed_time(end) for start, end in self.events)) / 1000


@dataclass(frozen=True)
class ClockedRun:
    """A run of a workload, from the first call of the scheduler to the return of the last.

    seconds            all of it, and what the worker computed between the calls: deciding can't hide behind the GPU
    gpu_seconds        of that, between the events around the model's work, gaps between launches included; None on a
                       processor
    executor_seconds   in the executor, on the host: inputs, launches, and waiting for the sampled tokens
    scheduler_seconds  in the scheduler, the worker's own time
    hidden_seconds     the worker's, between the calls
    channel_seconds    in its calls otherwise: messages, and waiting for the other process to wake up
    floor_seconds      what the GPU's memory allows at best; None if it is not known
    percentiles_ms     "TTFT" and so on -> its `PERCENTILES`
    """

    trace: Trace
    log: RunLog = field(repr=False)
    seconds: float
    gpu_seconds: float | None
    executor_seconds: float
    scheduler_seconds: float
    hidden_seconds: float
    channel_seconds: float
    floor_seconds: float | None
    percentiles_ms: dict[str, list[float]]

    @property
    def loop_seconds(self) -> float:
        """What is left: the serving loop and its checks."""
        elsewhere = self.executor_seconds + self.scheduler_seconds + self.hidden_seconds + self.channel_seconds
        return self.seconds - elsewhere

    @property
    def scheduling_share(self) -> float:
        """Of all: in the worker, and on the way to it and back."""
        return (self.scheduler_seconds + self.channel_seconds) / self.seconds

    @property
    def tokens_per_second(self) -> float:
        """Output tokens."""
        return self.trace.num_output_tokens / self.seconds

    @property
    def is_impossible(self) -> bool:
        """Was it faster than the memory allows? Then a clock or a count is wrong."""
        times = [self.seconds] if self.gpu_seconds is None else [self.seconds, self.gpu_seconds]
        return self.floor_seconds is not None and min(times) < self.floor_seconds


def clocked_run(engine: Engine, lab: ClockedHarness, workload: Workload) -> ClockedRun:
    """Serve a workload. Raises what a submission's fault raises."""
    assert workload.pool is not None
    executor = ClockedExecutor(engine.llama, workload.jobs, *workload.pool, graphs=engine.graphs)
    watch = Stopwatch(executor, workload.jobs)
    engine.synchronize()
    gc.collect()
    gc.disable()  # a collection in the middle would be somebody's bad luck
    try:
        trace = lab.serve(workload, watch)
    finally:
        gc.enable()
    assert executor.log is not None
    clock = lab.clock
    hidden_seconds = clock.hidden_seconds()
    return ClockedRun(
        trace=trace,
        log=executor.log,
        seconds=clock.ended - clock.began + hidden_seconds,
        gpu_seconds=executor.gpu_seconds(),
        executor_seconds=watch.executing_seconds,
        scheduler_seconds=clock.working_seconds,
        hidden_seconds=hidden_seconds,
        channel_seconds=clock.calling_seconds - clock.working_seconds,
        floor_seconds=engine.floor_seconds([sum(step.end for step in steps) for steps in executor.log.ticks if steps]),
        percentiles_ms={name: in_ms for name, (in_ms, _) in watch.percentiles().items()},
    )
