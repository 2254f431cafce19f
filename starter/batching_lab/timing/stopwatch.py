"""When each token of a run came, by the clock and in ticks."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from batching_lab.interfaces import Executor
from batching_lab.request import Job, Sequence
from batching_lab.schedule import Schedule
from batching_lab.tables import Number, percentiles


@dataclass
class Progress:
    """How far one request is.

    token_seconds  when each of its tokens came, in seconds since the start
    ticks          and in which tick
    end_token_ids  what ends it beside its request's own end-of-sequence token
    """

    job: Job
    token_ids: list[int] = field(default_factory=list)
    token_seconds: list[float] = field(default_factory=list)
    ticks: list[int] = field(default_factory=list)
    end_token_ids: frozenset[int] = frozenset()

    @property
    def request_id(self) -> str:
        """Of its job."""
        return self.job.request.request_id

    @property
    def is_finished(self) -> bool:
        """Has it generated its last token?"""
        is_ended = bool(self.token_ids) and self.token_ids[-1] in self.end_token_ids
        return is_ended or Sequence(self.job.request, output_token_ids=self.token_ids).is_finished


@dataclass(frozen=True)
class TickState:
    """What a tick did, for whoever watches the run."""

    tick: int
    running: tuple[str, ...]
    num_waiting: int
    blocks_used: int
    sampled: Mapping[str, int]


class Stopwatch:
    """Does what another executor does, and notes when each token came.

    requests           request id -> its progress
    boundary_seconds   when tick 1, 2, ... began and the last one ended, in seconds since the first was executed; from
                       the second tick on the scheduler's time is in it, too
    executing_seconds  time spent in the executor, over all ticks
    num_computed       tokens computed in all ticks together
    on_tick            called after each tick; what it takes is in the next tick, save for `pause`
    end_token_ids      see `Progress`
    """

    def __init__(
        self,
        executor: Executor,
        jobs: Iterable[Job],
        on_tick: Callable[[TickState], object] = lambda state: None,
        end_token_ids: Iterable[int] = (),
    ) -> None:
        self.executor = executor
        self.on_tick = on_tick
        ends = frozenset(end_token_ids)
        self.requests = {job.request.request_id: Progress(job, end_token_ids=ends) for job in jobs}
        self.executing_seconds = 0.0
        self.num_computed = 0
        self.start = 0.0
        self.boundary_seconds = [0.0]

    @property
    def tick(self) -> int:
        """The ticks that are over."""
        return len(self.boundary_seconds) - 1

    @property
    def seconds(self) -> float:
        """From the start to the end of the last tick."""
        return self.boundary_seconds[-1]

    @property
    def num_output_tokens(self) -> int:
        """Of all requests so far."""
        return sum(len(progress.token_ids) for progress in self.requests.values())

    @property
    def tokens_per_second(self) -> float:
        """Output tokens a second, over the whole run."""
        return self.num_output_tokens / self.seconds if self.seconds else 0.0

    @property
    def finished(self) -> list[Progress]:
        """The requests that have generated their last token."""
        return [progress for progress in self.requests.values() if progress.is_finished]

    def pause(self, seconds: float) -> None:
        """Sleep, with the clock stopped."""
        before = time.perf_counter()
        time.sleep(seconds)
        self.start += time.perf_counter() - before

    def execute(
        self,
        schedule: Schedule,
        sequences: Mapping[str, Sequence],
        block_tables: Mapping[str, list[int]],
    ) -> dict[str, int]:
        """Run one tick, and note when it was over; see `batching_lab.interfaces.Executor`."""
        begin = time.perf_counter()
        if self.tick == 0:
            self.start = begin
        sampled = self.executor.execute(schedule, sequences, block_tables)
        end = time.perf_counter()
        self.executing_seconds += end - begin
        self.num_computed += sum(schedule.num_scheduled_tokens.values())
        self.boundary_seconds.append(end - self.start)
        for request_id, token_id in sampled.items():
            progress = self.requests[request_id]
            progress.token_ids.append(token_id)
            progress.token_seconds.append(self.seconds)
            progress.ticks.append(self.tick)
        running = tuple(block_tables) or tuple(schedule.num_scheduled_tokens)
        blocks_used = len({block for table in block_tables.values() for block in table})
        self.on_tick(TickState(self.tick, running, len(sequences) - len(running), blocks_used, sampled))
        return sampled

    def percentiles(self) -> dict[str, tuple[list[float], list[int]]]:
        """The `PERCENTILES` of TTFT, inter-token latency and latency: in milliseconds, and in ticks.

        TTFT and latency count from the boundary before which a request arrived. Latency is of finished requests.
        """
        begun = self.boundary_seconds
        in_seconds = times_between([(begun[p.job.arrival], p.token_seconds, p.is_finished) for p in self.answered])
        in_ticks = times_between([(p.job.arrival, p.ticks, p.is_finished) for p in self.answered])
        return {
            name: (percentiles([1000 * value for value in in_seconds[name]]), percentiles(values))
            for name, values in in_ticks.items()
            if values
        }

    @property
    def answered(self) -> list[Progress]:
        """The requests that have a token."""
        return [progress for progress in self.requests.values() if progress.token_seconds]


def times_between(requests: list[tuple[Number, list[Number], bool]]) -> dict[str, list[Number]]:
    """Measure -> its values, from (arrival, times of the tokens, is it finished) of each request.

    >>> times_between([(0, [1, 2, 5], True), (1, [3], False)])
    {'TTFT': [1, 2], 'inter-token latency': [1, 3], 'latency': [5]}
    """
    return {
        "TTFT": [times[0] - arrival for arrival, times, _ in requests],
        "inter-token latency": [later - earlier for _, times, _ in requests for earlier, later in pairwise(times)],
        "latency": [times[-1] - arrival for arrival, times, is_finished in requests if is_finished],
    }
