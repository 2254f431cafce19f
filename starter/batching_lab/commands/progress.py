"""A progress bar for a long run: on a terminal only, and only if tqdm is installed."""

import importlib.util
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from batching_lab.executor import SimulatedExecutor
from batching_lab.interfaces import Executor
from batching_lab.request import Job, Sequence
from batching_lab.schedule import Schedule

if TYPE_CHECKING:
    from tqdm import tqdm

MIN_JOBS = 500  # a run of fewer is over before a bar would help


class ExecutorWithBar:
    """Does what another executor does, and moves a bar on by the tokens that were sampled."""

    def __init__(self, executor: Executor, bar: "tqdm[NoReturn]") -> None:
        self.executor = executor
        self.bar = bar

    def execute(
        self,
        schedule: Schedule,
        sequences: Mapping[str, Sequence],
        block_tables: Mapping[str, list[int]],
    ) -> dict[str, int]:
        """Run one tick; see `batching_lab.interfaces.Executor`."""
        sampled = self.executor.execute(schedule, sequences, block_tables)
        self.bar.update(len(sampled))
        return sampled


@contextmanager
def executor_for(jobs: list[Job]) -> Generator[Executor]:
    """A `SimulatedExecutor`, with a bar on standard error while a long run goes on."""
    executor = SimulatedExecutor(jobs)
    if len(jobs) < MIN_JOBS or not sys.stderr.isatty() or importlib.util.find_spec("tqdm") is None:
        yield executor
        return
    from tqdm import tqdm  # only here: small runs shall not wait for the import

    num_tokens = sum(job.num_output_tokens for job in jobs)
    with tqdm(total=num_tokens, unit=" tokens", leave=False, ascii=True, file=sys.stderr) as bar:
        yield ExecutorWithBar(executor, bar)
