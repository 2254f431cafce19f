"""Who is timed in the GPU stage: a submission, or the solution behind the same walls."""

import contextlib
from collections.abc import Generator
from dataclasses import dataclass

from batching_lab.harness import Workload
from batching_lab.submission.loading import Submission
from grader.gpu.clocks import ClockedHarness, ClockedRun, WaitBudget, clocked_run
from grader.gpu.engine import Engine
from grader.grading.options import GradingOptions
from grader.paths import SOLUTION
from grader.worker.client import Limits, Sandbox, TimeBudget, Worker
from grader.worker.sandbox import sandbox_for

REFERENCE_SECONDS = 600.0


@dataclass(frozen=True)
class Contestant:
    """A submission that serves workloads: each run has a worker of its own, all share a time budget."""

    sandbox: Sandbox
    limits: Limits
    budget: TimeBudget
    waited: WaitBudget

    def with_new_budget(self) -> "Contestant":
        """The same, with all of its time again."""
        return new_contestant(self.sandbox, self.limits, self.budget.seconds)

    @contextlib.contextmanager
    def harness(self) -> Generator[ClockedHarness]:
        """For one run, in a new worker."""
        worker = Worker(self.sandbox, self.limits, self.budget)
        try:
            yield ClockedHarness(Submission(self.sandbox.submission), worker, self.waited)
        finally:
            worker.close()

    def timed(self, engine: Engine, workload: Workload) -> ClockedRun:
        """Serve a workload against the clock. Raises what a submission's fault raises."""
        with self.harness() as lab:
            return clocked_run(engine, lab, workload)


def new_contestant(sandbox: Sandbox, limits: Limits, seconds: float) -> Contestant:
    """seconds: of its workers' own time, in all runs"""
    return Contestant(sandbox, limits, TimeBudget(seconds), WaitBudget(seconds))


@contextlib.contextmanager
def reference(options: GradingOptions) -> Generator[Contestant]:
    """The solution, behind the same walls as a submission: so it pays the same for every message."""
    with sandbox_for(SOLUTION, options.isolation) as (sandbox, _):
        yield new_contestant(sandbox, options.limits, REFERENCE_SECONDS)
