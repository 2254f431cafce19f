"""Where a submission meets a test: one workload, one configuration, the ticks that should come out.

The public tests run the student's objects in their own process; other harnesses may put them elsewhere.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from batching_lab.checks import ViolationInRun
from batching_lab.config import SCHEDULER_CLASSES, SchedulerConfig, limits_for
from batching_lab.config import Policy as Policy
from batching_lab.difference import Difference, first_difference, parse_ticks, schedules_of, side_by_side
from batching_lab.errors import OutOfBlocks, RequestTooLong, RuleViolation
from batching_lab.executor import SimulatedExecutor
from batching_lab.interfaces import Executor, KVAllocator, Scheduler
from batching_lab.loop import serve
from batching_lab.request import Job, require_distinct_ids
from batching_lab.schedule import Schedule
from batching_lab.submission.loading import Submission
from batching_lab.trace import Trace
from batching_lab.workloads.command_line import config_words, job_text
from batching_lab.workloads.jobs import parse_jobs

DOOR = "add_request refuses a request that might never finish with RequestTooLong; exactly at the limit is accepted."


class Mismatch(Exception):
    """A submission did not do what a test expects.

    what   one sentence
    rule   the rule of the lab behind it, one sentence
    table  expected and got, tick by tick
    """

    def __init__(self, what: str, rule: str = "", table: str = "", difference: Difference | None = None) -> None:
        super().__init__("\n".join(part for part in (what, rule and f"Rule tested here: {rule}", table) if part))
        self.what = what
        self.rule = rule
        self.table = table
        self.difference = difference


class StoppedRun(RuleViolation):
    """The serving loop stopped a run whose ticks a test compares.

    violation   what the loop saw
    table       expected and got, tick by tick
    difference  from the expected ticks, if there is one in that tick
    """

    def __init__(self, violation: RuleViolation, table: str, difference: Difference | None) -> None:
        super().__init__(violation.rule, violation.tick, violation.what, violation.request_id, violation.seen)
        self.violation = violation
        self.table = table
        self.difference = difference


def require(condition: bool, what: str, rule: str = "") -> None:
    """Raise `Mismatch(what)` unless the condition holds."""
    if not condition:
        raise Mismatch(what, rule)


def require_raises(error: type[Exception], call: Callable[[], object], what: str, rule: str = "") -> None:
    """Raise `Mismatch(what)` unless the call raises `error`; a `RequestTooLong` is no plain `ValueError`."""
    try:
        call()
    except (ValueError, KeyError, OutOfBlocks) as raised:
        if isinstance(raised, error) and (error is RequestTooLong or not isinstance(raised, RequestTooLong)):
            return
        kinds = (RequestTooLong, OutOfBlocks, ValueError, KeyError)
        name = next(kind.__name__ for kind in kinds if isinstance(raised, kind))
        raise Mismatch(f"{what}: raised {name}, not {error.__name__}", rule) from None
    raise Mismatch(f"{what}: raised nothing, should have raised {error.__name__}", rule)


@dataclass(frozen=True)
class Workload:
    """What a run serves, and under which limits.

    num_blocks  KV blocks in the pool; None: no allocator
    block_size  tokens a block; given with num_blocks, and only then

    Raises `ValueError` if two jobs have the same id, or if only one of num_blocks and block_size is given.
    """

    policy: Policy
    jobs: list[Job]
    config: SchedulerConfig
    num_blocks: int | None = None
    block_size: int | None = None

    def __post_init__(self) -> None:
        require_distinct_ids(self.jobs)
        if (self.num_blocks is None) != (self.block_size is None):
            raise ValueError(
                "num_blocks and block_size belong together, give both or neither: "
                f"num_blocks is {self.num_blocks}, block_size is {self.block_size}"
            )

    @property
    def pool(self) -> tuple[int, int] | None:
        """num_blocks and block_size; None: no allocator."""
        if self.num_blocks is None or self.block_size is None:
            return None
        return self.num_blocks, self.block_size

    @property
    def request_ids(self) -> set[str]:
        """The ids of all its jobs."""
        return {job.request.request_id for job in self.jobs}

    def command(self) -> str:
        """The command line that runs it again."""
        words = [
            "python -m batching_lab run",
            f"--policy {self.policy}",
            f"--jobs {','.join(map(job_text, self.jobs))}",
            *config_words(self.config),
        ]
        if self.pool is not None:
            words.append(f"--blocks {self.num_blocks} --block-size {self.block_size}")
        return " ".join(words)


class Harness:
    """Makes schedulers and allocators of one submission and runs them through the serving loop.

    workload  that of the last run
    """

    def __init__(self, submission: Submission) -> None:
        self.submission = submission
        self.workload: Workload | None = None

    def answers(self) -> dict[str, Any]:
        """The contents of answers.toml."""
        return self.submission.answers()

    def allocator(self, num_blocks: int, block_size: int) -> KVAllocator:
        """A new `BlockAllocator` of the submission. Raises `SubmissionError` if it has none that can be used."""
        allocator: KVAllocator = self.submission.get_class("BlockAllocator")(num_blocks, block_size)
        return allocator

    def scheduler(self, policy: Policy, config: SchedulerConfig, allocator: KVAllocator | None = None) -> Scheduler:
        """A new scheduler of the submission. Raises `SubmissionError` if it has none that can be used."""
        scheduler: Scheduler = self.submission.get_class(SCHEDULER_CLASSES[policy])(config, allocator)
        return scheduler

    def run(
        self,
        policy: Policy,
        jobs: str | list[Job],
        *,
        num_blocks: int | None = None,
        block_size: int | None = None,
        **config: Any,
    ) -> Trace:
        """Serve the jobs with all checks on.

        num_blocks, block_size  as in a `Workload`: both or neither
        config                  the fields of a `SchedulerConfig`

        Raises `RuleViolation` from the loop, and `ValueError` for jobs or limits that make no workload.
        """
        jobs = parse_jobs(jobs) if isinstance(jobs, str) else jobs
        return self.serve(Workload(policy, jobs, SchedulerConfig(**config), num_blocks, block_size))

    def serve(
        self, workload: Workload, executor: Executor | None = None, checks: Literal["raise", "record"] = "raise"
    ) -> Trace:
        """Serve a workload with all checks on. executor None: a `SimulatedExecutor`."""
        self.workload = workload
        allocator = None if workload.pool is None else self.allocator(*workload.pool)
        scheduler = self.scheduler(workload.policy, workload.config, allocator)
        limits = limits_for(workload.policy, workload.config)
        executor = executor or SimulatedExecutor(workload.jobs)
        return serve(scheduler, workload.jobs, executor, allocator, checks, limits=limits)

    def expect(
        self,
        policy: Policy,
        jobs: str | list[Job],
        *,
        num_blocks: int | None = None,
        block_size: int | None = None,
        rule: str = "",
        refused: str = "",
        ticks: str,
        **config: Any,
    ) -> Trace:
        """Serve the jobs and compare every tick with a table. A test reads best with the limits above the table.

        num_blocks, block_size  as in a `Workload`: both or neither
        rule                    the rule of the lab that is tested, one sentence
        refused                 ids that the door refuses, with spaces between them
        ticks                   the table; `difference.parse_ticks` says how it is written
        config                  the fields of a `SchedulerConfig`

        Raises `Mismatch` with both sides of the first tick that differs, `StoppedRun` where the loop saw a rule
        broken, and `ValueError` for jobs, limits or a table that make no sense.
        """
        jobs = parse_jobs(jobs) if isinstance(jobs, str) else jobs
        workload = Workload(policy, jobs, SchedulerConfig(**config), num_blocks, block_size)
        return self.compare(workload, parse_ticks(ticks), refused.split(), rule)

    def compare(self, workload: Workload, expected: list[Schedule], refused: list[str], rule: str = "") -> Trace:
        """Serve a workload and compare every tick and every refusal; raises as `expect` does."""
        try:
            trace = self.serve(workload)
        except ViolationInRun as violation:
            arrived = {job.request.request_id for job in workload.jobs if job.arrival < violation.tick}
            # whoever should have been refused may be why the run broke
            require_refused([request_id for request_id in refused if request_id in arrived], violation.trace)
            raise stopped_run(violation, expected) from violation
        compare_refused(refused, trace)
        compare_ticks(expected, trace, rule)
        return trace


def stopped_run(violation: ViolationInRun, expected: list[Schedule]) -> StoppedRun:
    """The violation beside the ticks that were expected."""
    got = schedules_of(violation.trace)
    if violation.decision is not None and len(got) < violation.tick:
        got.append(violation.decision)
    difference = first_difference(expected[: len(got)], got)
    if difference is not None and difference.tick != violation.tick:
        difference = None
    return StoppedRun(violation, side_by_side(expected, got, violation.tick, end="(stopped)"), difference)


def require_refused(request_ids: list[str], trace: Trace) -> None:
    """Raise `Mismatch` unless each of these requests was refused with `RequestTooLong`."""
    for request_id in request_ids:
        require(request_id in trace.refused, f"{request_id} was accepted, but should have been refused", DOOR)


def compare_refused(expected: list[str], trace: Trace) -> None:
    """Raise `Mismatch` unless exactly these requests were refused with `RequestTooLong`."""
    require_refused(expected, trace)
    for request_id in trace.refused:
        require(request_id in expected, f"{request_id} was refused, but should have been accepted", DOOR)


def compare_ticks(expected: list[Schedule], trace: Trace, rule: str) -> None:
    """Raise `Mismatch` with both sides of the first tick that differs."""
    got = schedules_of(trace)
    difference = first_difference(expected, got)
    if difference is not None:
        raise Mismatch(f"{difference}.", rule, side_by_side(expected, got, difference.tick), difference)
