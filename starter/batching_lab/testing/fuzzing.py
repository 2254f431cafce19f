"""Searches for a small workload that makes a submission break a rule of the serving loop.

Hypothesis makes the workloads and shrinks the first that fails. What the right ticks are is not known here.
"""

import contextlib
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, strategies
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.strategies import DrawFn, SearchStrategy

from batching_lab.config import KVPolicy, SchedulerConfig
from batching_lab.harness import Policy, Workload
from batching_lab.request import Job
from batching_lab.workloads.jobs import make_job
from batching_lab.workloads.pool import longest_sequence

Part = Literal["1", "3", "4", "5"]
PARTS: tuple[Part, ...] = ("1", "3", "4", "5")
JOB_IDS = "ABCDEFGH"
SHRINK_SECONDS = 30.0

# What else may vary in a job: max_tokens - n; ticks from the arrival of the job before it to its own; ticks from there
# to its abort. The simplest come first. One choice for all three: of a job in more pieces Hypothesis can't let go.
Fate = tuple[int, int, int | None]
FATES: list[Fate] = [
    *[(0, 0, None)] * 20,
    *[(0, later, None) for later in (1, 2, 5)] * 4,
    *[(unused, 0, None) for unused in (1, 4)] * 3,
    *[(0, 0, patience) for patience in (0, 1, 2, 4, 8)] * 2,
    *[(0, later, patience) for later in (1, 2) for patience in (0, 2, 4)],
    *[(4, 1, None), (4, 0, 2), (4, 1, 2)],
]


class Failed(Exception):
    """Tells hypothesis that a workload fails."""


class Search:
    """Runs each workload once and keeps what came of it, so that a workload fails always or never.

    run        serves a workload; returns a sentence if the submission did something wrong
    num_runs   how many workloads were tried until the first failed, it included
    smallest   the last workload that failed: when hypothesis is done, the smallest
    """

    def __init__(self, run: Callable[[Workload], str]) -> None:
        self.run = run
        self.faults: dict[str, str] = {}  # a workload's command -> the sentence, empty if nothing was wrong
        self.num_runs = 0
        self.smallest: Workload | None = None
        self.deadline: float | None = None  # for shrinking, from the first that fails on

    @property
    def fault(self) -> str:
        """What the smallest workload that fails shows; empty if none does."""
        return "" if self.smallest is None else self.faults[self.smallest.command()]

    def check(self, workload: Workload) -> None:
        """Raise `Failed` if the submission does something wrong on this workload."""
        command = workload.command()
        self.num_runs += self.smallest is None
        if command not in self.faults:
            if self.deadline is not None and time.monotonic() > self.deadline:
                return  # shrunk long enough: nothing new fails any more
            self.faults[command] = self.run(workload)
        if self.faults[command]:
            self.smallest = workload
            self.deadline = self.deadline or time.monotonic() + SHRINK_SECONDS
            raise Failed


def search(run: Callable[[Workload], str], part: Part | None, num_examples: int, seed: int) -> Search:
    """Try random workloads of a part (None: of all), until one fails; shrink that one."""
    found = Search(run)

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=num_examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        verbosity=Verbosity.quiet,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(workload=workloads_of(part))
    def check(workload: Workload) -> None:
        found.check(workload)

    with tempfile.TemporaryDirectory() as folder:
        set_hypothesis_home_dir(folder)  # else it leaves a folder of its own beside the student's files
        with contextlib.suppress(Failed):
            check()
        set_hypothesis_home_dir(None)
    return found


def workloads_of(part: Part | None) -> SearchStrategy[Workload]:
    """Workloads in which the limits vary that a part is about, and those of the parts before it."""
    if part is None:
        return strategies.sampled_from(PARTS).flatmap(workloads_of)
    if part == "1":
        return slots_only()
    if part == "3":
        return two_budgets()
    return chunked() if part == "4" else max_utilization()


@strategies.composite
def jobs(draw: DrawFn) -> list[Job]:
    """Up to 8 jobs: some arrive later than others, some end before `max_tokens`, some are aborted."""
    shapes = strategies.tuples(strategies.integers(1, 16), strategies.integers(1, 10), strategies.sampled_from(FATES))
    drawn = draw(strategies.lists(shapes, min_size=1, max_size=len(JOB_IDS)))
    made = []
    arrival = 0
    for request_id, (prompt_len, output_len, (unused, later, patience)) in zip(JOB_IDS, drawn, strict=False):
        arrival += later
        max_tokens = output_len + unused if unused else None
        abort_at = None if patience is None else arrival + patience
        made.append(make_job(request_id, prompt_len, output_len, max_tokens, arrival, abort_at))
    return made


@strategies.composite
def slots_only(draw: DrawFn) -> Workload:
    """Part 1: policy and slots vary."""
    policy: Policy = draw(strategies.sampled_from(("continuous", "static")))
    return Workload(policy, draw(jobs()), SchedulerConfig(draw(strategies.integers(1, 4))))


@strategies.composite
def two_budgets(draw: DrawFn) -> Workload:
    """A token budget and a pool, each near what the longest job needs, so that some are refused."""
    drawn_jobs = draw(jobs())
    longest_prompt = max(len(job.request.prompt_token_ids) for job in drawn_jobs)
    policy: Policy = draw(strategies.sampled_from(("continuous", "static")))
    budget = draw(strategies.none() | strategies.integers(longest_prompt - 1, longest_prompt + 8))
    config = SchedulerConfig(draw(strategies.integers(1, 5)), None if budget is None else max(1, budget))
    return with_pool(draw, Workload(policy, drawn_jobs, config), spare=6)


@strategies.composite
def chunked(draw: DrawFn) -> Workload:
    """Part 4: budget and chunk size vary, with a pool or without."""
    config = SchedulerConfig(
        draw(strategies.integers(1, 5)),
        draw(strategies.none() | strategies.integers(1, 12)),
        enable_chunked_prefill=True,
        prefill_chunk_size=draw(strategies.none() | strategies.integers(1, 8)),
    )
    workload = Workload("continuous", draw(jobs()), config)
    return with_pool(draw, workload, spare=6) if draw(strategies.booleans()) else workload


@strategies.composite
def max_utilization(draw: DrawFn) -> Workload:
    """Pools so tight that growth preempts."""
    drawn_jobs = draw(jobs())
    longest = longest_sequence(drawn_jobs)
    is_chunked = draw(strategies.booleans())
    budgets = strategies.integers(1, 8) if is_chunked else strategies.integers(max(1, longest - 1), longest + 6)
    policy: KVPolicy = "max_utilization"
    config = SchedulerConfig(
        draw(strategies.integers(1, 6)),
        draw(strategies.none() | budgets),
        is_chunked,
        draw(strategies.none() | strategies.integers(1, 8)) if is_chunked else None,
        policy,
    )
    return with_pool(draw, Workload("continuous", drawn_jobs, config), spare=3)


def with_pool(draw: DrawFn, workload: Workload, spare: int) -> Workload:
    """The workload with a pool that holds its longest job and up to `spare` blocks more, or is just too small."""
    block_size = draw(strategies.sampled_from((1, 2, 3, 4, 8)))
    needed = -(-longest_sequence(workload.jobs) // block_size)
    num_blocks = max(1, needed + draw(strategies.integers(-1, spare)))
    return replace(workload, num_blocks=num_blocks, block_size=block_size)
