"""`make bench`: what scheduling, checking and isolating cost, as ratios of things measured in one run.

Times on shared machines vary by a factor of two from run to run; the ratios hold better. A tick is measured in
processor time.
"""

import argparse
import contextlib
import statistics
import time
from collections.abc import Callable, Generator
from pathlib import Path

from batching_lab import Request, SchedulerConfig, SimulatedExecutor, serve
from batching_lab.harness import Harness
from batching_lab.submission.loading import Submission
from batching_lab.tables import format_table
from batching_lab.workloads.jobs import make_job
from grader.grading.plugin import HarnessMaker
from grader.grading.run_tests import run_hidden_tests, worker_harness
from grader.grading.runnable import runnable_parts
from grader.paths import RIGHT, SOLUTION
from grader.proving.benchmarks import nano_vllm
from grader.worker.client import DEFAULT_LIMITS
from grader.worker.isolation import IsolationWish
from grader.worker.sandbox import sandbox_for

WORD_FOR_WORD = RIGHT / "word_for_word"
BLOCK_SIZE = 16
NUM_TICKS = 200

Tick = Callable[[], float]  # makes a tick and returns its seconds in schedule and update


def decoding(submission: Submission, num_running: int, num_waiting: int = 0) -> Tick:
    """A scheduler with `num_running` decodes, and with others that wait; its first tick is the prefill."""
    lab = Harness(submission)
    num_blocks = num_running * (16 + NUM_TICKS) // BLOCK_SIZE + num_running
    allocator = lab.allocator(num_blocks, BLOCK_SIZE)
    config = SchedulerConfig(num_running, kv_policy="max_utilization")
    scheduler = lab.scheduler("continuous", config, allocator)
    for number in range(num_running + num_waiting):
        scheduler.add_request(Request(f"r{number}", (1,) * (1 + number % BLOCK_SIZE), NUM_TICKS + 10))

    def tick() -> float:
        start = time.process_time()
        schedule = scheduler.schedule()
        between = time.process_time()
        sampled = dict.fromkeys(schedule.num_scheduled_tokens, 5)
        again = time.process_time()
        scheduler.update(sampled)
        return between - start + time.process_time() - again

    return tick


def microseconds(*ticks: Tick) -> list[float]:
    """Of each scheduler's median tick. They take turns of ten ticks, so all meet what else the machine does."""
    times: list[list[float]] = [[] for _ in ticks]
    for _ in range(NUM_TICKS // 10):
        for own, tick in zip(times, ticks, strict=True):
            own += [tick() for _ in range(10)]
    return [statistics.median(own[5:]) * 1e6 for own in times]


def scheduler_rows(checkout: Path | None = None) -> list[tuple[str, ...]]:
    """A tick's processor time, by how many run and wait; with a checkout of nano-vllm, its scheduler's, too."""
    solution, word_for_word = Submission(SOLUTION), Submission(WORD_FOR_WORD)
    rows = []
    for num_running in (1, 64, 256, 1024):
        ours, plain = microseconds(decoding(solution, num_running), decoding(word_for_word, num_running))
        rows.append(row_of(f"schedule + update, {num_running} decodes", ours, plain, "word for word"))
    many, few = microseconds(decoding(solution, 256, num_waiting=100_000), decoding(solution, 256))
    rows.append(row_of("the same, 256 decodes, 100,000 waiting", many, few, "with none waiting"))
    if checkout is not None:
        ours, theirs = microseconds(decoding(solution, 256), nano_vllm.decoding(checkout, 256, NUM_TICKS, BLOCK_SIZE))
        rows.append(row_of("the same, 256 decodes", ours, theirs, "nano-vllm"))
    return rows


def row_of(what: str, ours: float, others: float, name: str) -> tuple[str, ...]:
    """Of the table: microseconds of the solution, of another, and their ratio."""
    return what, f"{ours:.0f} us", f"{others:.0f} us {name}", f"{ours / others:.2f}"


def loop_row() -> tuple[str, ...]:
    """A whole run with all checks: what the loop costs beside the scheduler, as a multiple of the scheduler's share."""
    lab = Harness(Submission(SOLUTION))
    jobs = [make_job(f"r{number}", 100, 200) for number in range(512)]
    allocator = lab.allocator(256 * 20, BLOCK_SIZE)
    scheduler = lab.scheduler("continuous", SchedulerConfig(256), allocator)
    inside = 0.0

    def timed(method: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            nonlocal inside
            start = time.perf_counter()
            try:
                return method(*arguments)
            finally:
                inside += time.perf_counter() - start

        return call

    for name in ("schedule", "update"):
        setattr(scheduler, name, timed(getattr(scheduler, name)))
    start = time.perf_counter()
    trace = serve(scheduler, jobs, SimulatedExecutor(jobs), allocator)
    total = time.perf_counter() - start
    own = (total - inside) / inside
    per_second = f"{trace.num_ticks / total:.0f} ticks/s"
    return (
        "the loop's checks and made-up tokens, 256 slots",
        per_second,
        f"{1 / (1 + own):.0%} in the scheduler",
        f"{own:.2f}",
    )


@contextlib.contextmanager
def in_process(part: str, own_allocator: bool) -> Generator[Harness]:
    """The hidden tests without a worker, to compare with."""
    yield Harness(Submission(SOLUTION))


def seconds_of_grading(make_harness: HarnessMaker) -> float:
    """Of one run of all hidden tests."""
    start = time.perf_counter()
    run_hidden_tests(runnable_parts(), make_harness, "hint")
    return time.perf_counter() - start


def seconds_in_workers(wish: IsolationWish) -> float:
    """Of one run of all hidden tests, each in a worker of its own."""
    with sandbox_for(SOLUTION, wish) as (sandbox, _):
        return seconds_of_grading(worker_harness(sandbox, DEFAULT_LIMITS))


def grading_rows() -> list[tuple[str, ...]]:
    """What a process of its own costs, and what the operating system's isolation adds to it."""
    seconds_of_grading(in_process)  # imports PyTorch and loads the model, for all that follow
    isolated, bare, plain = seconds_in_workers("required"), seconds_in_workers("off"), seconds_of_grading(in_process)
    ours = f"{isolated:.1f} s in isolated workers"
    return [
        ("all hidden tests", ours, f"{plain:.1f} s in process", f"{isolated / plain:.2f}"),
        ("the same", ours, f"{bare:.1f} s in workers without isolation", f"{isolated / bare:.2f}"),
    ]


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader bench`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m grader bench",
        description="Time the schedulers, the loop and a grading, each beside another in one run.",
    )
    parser.add_argument(
        "--nano-vllm",
        type=Path,
        metavar="DIR",
        help="a checkout of nano-vllm: its scheduler, too (needs numpy and xxhash)",
    )
    checkout = parser.parse_args(arguments).nano_vllm
    if checkout is not None and not (checkout / nano_vllm.SCHEDULER).is_file():
        parser.error(f"{checkout} holds no {nano_vllm.SCHEDULER}")
    rows = [*scheduler_rows(checkout), loop_row(), *grading_rows()]
    print(format_table(("what", "solution", "compared with", "ratio"), rows))
    return 0
