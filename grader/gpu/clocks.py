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

    Naps of milliseconds are too short for the worker's own time to see them, and a busy machine makes nobody wait
    three times as long as it computes.
    """

    FACTOR = 3

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.left = self.FACTOR * seconds

    def spend(self, seconds: float) -> None:
        self.left -= seconds
        if self.left < 0:
            raise OutOfTime(f"The {self.seconds:g} seconds that this part's tests have in all are used up.")


class ClockedScheduler:
    """Passes every call on, and notes when the first began and the last ended, and what they took.

    calling  seconds from each question to its answer, added up
    working  the worker's own time in them; the rest is the channel's
    """

    def __init__(self, scheduler: Scheduler, worker: Worker, waited: WaitBudget) -> None:
        self.scheduler = scheduler
        self.worker = worker
        self.waited = waited
        self.began = 0.0
        self.ended = 0.0
        self.calling = 0.0
        self.working = 0.0
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
        start, left = time.perf_counter(), self.worker.budget.left
        if not self.began:
            self.began, self.cpu_began = start, cpu_seconds(self.worker.process.pid)
        try:
            answer = method(*arguments)
        finally:
            self.ended = time.perf_counter()
            self.calling += self.ended - start
            self.working += left - self.worker.budget.left
        self.waited.spend(self.ended - start)
        return answer

    def hidden(self) -> float:
        """Processor time that the worker used between the calls, while the model computed."""
        cpu = cpu_seconds(self.worker.process.pid)
        if cpu is None or self.cpu_began is None:
            return 0.0
        return max(0.0, cpu - self.cpu_began - self.working)


class ClockedHarness(WorkerHarness):
    """A `WorkerHarness` with the submission's own allocator that puts a clock on the scheduler of its last run."""

    clock: ClockedScheduler

    def __init__(self, submission: Submission, worker: Worker, waited: WaitBudget) -> None:
        super().__init__(submission, worker, own_allocator=True)
        self.waited = waited

    def scheduler(self, policy: Policy, config: SchedulerConfig, allocator: KVAllocator | None = None) -> Scheduler:
        self.clock = ClockedScheduler(super().scheduler(policy, config, allocator), self.worker, self.waited)
        return self.clock


class ClockedExecutor(ModelExecutor):
    """Brackets what the GPU computes in each tick with events, which are read when the run is over."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, log=True, **options)
        self.events: list[tuple[Any, Any]] = []

    def forward(self, batch: Batch | PaddedBatch) -> Tensor:
        if self.model.device.type != "cuda":
            return super().forward(batch)
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        logits = super().forward(batch)
        end.record()
        self.events.append((start, end))
        return logits

    def gpu_seconds(self) -> float | None:
        if not self.events:
            return None
        torch.cuda.synchronize()
        return float(sum(start.elapsed_time(end) for start, end in self.events)) / 1000


@dataclass(frozen=True)
class TimedRun:
    """A run of a workload, from the first call of the scheduler to the return of the last.

    seconds    all of it, and what the worker computed between the calls: deciding is not to be hidden behind the GPU
    gpu        of that, between the events around the model's work, gaps between launches included; None on a processor
    executing  in the executor, on the host: inputs, launches, and waiting for the sampled tokens
    working    in the scheduler, the worker's own time
    hidden     the worker's, between the calls
    channel    in its calls otherwise: messages, and waiting for the other process to wake up
    floor      what the GPU's memory allows at best; None if it is not known
    """

    trace: Trace
    log: RunLog = field(repr=False)
    seconds: float
    gpu: float | None
    executing: float
    working: float
    hidden: float
    channel: float
    floor: float | None
    percentiles: dict[str, list[float]]

    @property
    def loop(self) -> float:
        """What is left: the serving loop and its checks."""
        return self.seconds - self.executing - self.working - self.hidden - self.channel

    @property
    def tokens_per_second(self) -> float:
        return self.trace.num_output_tokens / self.seconds

    @property
    def is_impossible(self) -> bool:
        """Was it faster than the memory allows? Then a clock or a count is wrong."""
        times = [self.seconds] if self.gpu is None else [self.seconds, self.gpu]
        return self.floor is not None and min(times) < self.floor


def timed_run(engine: Engine, lab: ClockedHarness, workload: Workload) -> TimedRun:
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
    hidden = clock.hidden()
    return TimedRun(
        trace=trace,
        log=executor.log,
        seconds=clock.ended - clock.began + hidden,
        gpu=executor.gpu_seconds(),
        executing=watch.executing_seconds,
        working=clock.working,
        hidden=hidden,
        channel=clock.calling - clock.working,
        floor=engine.floor_seconds([sum(step.end for step in steps) for steps in executor.log.ticks if steps]),
        percentiles={name: in_ms for name, (in_ms, _) in watch.percentiles().items()},
    )
