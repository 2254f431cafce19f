"""The serving loop: the only one in the lab, whoever schedules and whatever computes."""

from collections import deque
from collections.abc import Iterable
from typing import Literal

from batching_lab.checks import Checks
from batching_lab.config import SchedulerConfig, limits_of
from batching_lab.errors import RequestTooLong
from batching_lab.executor import SimulatedExecutor
from batching_lab.interfaces import Executor, KVAllocator, Scheduler
from batching_lab.ledger import Ledger
from batching_lab.request import Job
from batching_lab.trace import Trace


def serve(
    scheduler: Scheduler,
    jobs: Iterable[Job],
    executor: Executor,
    allocator: KVAllocator | None = None,
    checks: Literal["raise", "record"] = "raise",
    *,
    limits: SchedulerConfig | None = None,
) -> Trace:
    """Serve all jobs, tick by tick, and check every rule at every tick.

    allocator  the one that `scheduler` was given, to check the block tables
    checks     "raise" raises `RuleViolation` at the first broken rule; "record" notes it in
               `trace.violation` and goes on as well as it can
    limits     what the scheduler is held to; None: its `config`, where it has one

    Raises `ValueError` if two jobs have the same id.
    """
    jobs = list(jobs)
    arrivals = deque(sorted(jobs, key=lambda job: job.arrival))  # stable: the same arrival keeps the list's order
    aborts = deque(sorted((job for job in jobs if job.abort_at is not None), key=lambda job: job.abort_at or 0))
    ledger = Ledger(jobs, limits or limits_of(scheduler), allocator)
    check = Checks(ledger, allocator, checks)

    while True:
        tick = ledger.next_tick()
        while arrivals and arrivals[0].arrival < tick:
            request = arrivals.popleft().request
            try:
                scheduler.add_request(request)
            except RequestTooLong:
                ledger.refuse(request)
            else:
                ledger.add(request)
        while aborts and (aborts[0].abort_at or 0) < tick:
            request = aborts.popleft().request
            scheduler.abort(request.request_id)
            ledger.abort(request)
        check.boundary(scheduler.has_unfinished())
        if (not arrivals and not ledger.sequences) or check.is_stuck:
            return ledger.trace

        schedule = check.schedule(scheduler.schedule())
        sampled = executor.execute(schedule, ledger.sequences, ledger.block_tables)
        finished = scheduler.update(dict(sampled))
        check.update(schedule, sampled, finished)


def simulate(scheduler: Scheduler, jobs: Iterable[Job], allocator: KVAllocator | None = None) -> Trace:
    """Serve the jobs with made-up tokens: `serve` with a `SimulatedExecutor`."""
    jobs = list(jobs)
    return serve(scheduler, jobs, SimulatedExecutor(jobs), allocator)
