"""The loop's own account of a run: what every request has computed, who runs, and which blocks are held.

Nothing that a scheduler or an allocator says is believed; checks.py compares it with this account.
"""

from collections.abc import Mapping
from typing import Literal

from batching_lab.config import SchedulerConfig
from batching_lab.interfaces import KVAllocator
from batching_lab.request import Job, Request, Sequence, require_distinct_ids
from batching_lab.schedule import Schedule
from batching_lab.trace import RequestRecord, TickRecord, Trace


class Ledger:
    """Follows one run and writes its trace.

    tick              at a boundary the tick that comes next, else the one under way
    sequences         every unfinished request that was accepted, in order of arrival
    running           those of them that have been scheduled and not preempted since, in order of admission
    block_tables      running request -> the block ids that it holds
    block_owner       block id -> the request that holds it
    aborted, refused  at the boundary before this tick
    bound             the tick by which the run must be over, by the rule of that name
    """

    def __init__(self, jobs: list[Job], limits: SchedulerConfig | None, allocator: KVAllocator | None) -> None:
        """Raises `ValueError` if two jobs have the same id."""
        require_distinct_ids(jobs)
        num_blocks, block_size = (None, None) if allocator is None else (allocator.num_blocks, allocator.block_size)
        self.trace = Trace(limits, num_blocks, block_size)
        for job in jobs:
            record = RequestRecord(job.request.request_id, job.arrival, len(job.request.prompt_token_ids))
            self.trace.requests[record.request_id] = record
        self.bound = max((job.arrival for job in jobs), default=0)
        self.bound += sum(len(job.request.prompt_token_ids) + job.num_output_tokens - 1 for job in jobs)
        self.tick = 0
        self.sequences: dict[str, Sequence] = {}
        self.running: dict[str, Sequence] = {}
        self.block_tables: dict[str, list[int]] = {}
        self.block_owner: dict[int, str] = {}
        self.aborted: list[str] = []
        self.refused: list[str] = []

    def next_tick(self) -> int:
        """Go to the boundary before the next tick, and return that tick."""
        self.tick += 1
        self.aborted = []
        self.refused = []
        return self.tick

    def add(self, request: Request) -> None:
        """The scheduler accepted it."""
        self.sequences[request.request_id] = Sequence(request)

    def refuse(self, request: Request) -> None:
        """The scheduler refused it with `RequestTooLong`."""
        self.trace.requests[request.request_id].status = "refused"
        self.refused.append(request.request_id)

    def abort(self, request: Request) -> None:
        """Its client hung up."""
        if request.request_id in self.sequences:  # else it had left already, or was refused
            self._leave(request.request_id, "aborted")
            self.aborted.append(request.request_id)

    def decide(self, schedule: Schedule) -> None:
        """Take a decision over: who is preempted stops running and has computed nothing, who is new starts."""
        for request_id in schedule.preempted:
            stopped = self.running.pop(request_id)
            self.trace.requests[request_id].preempt(stopped.num_computed_tokens)
            stopped.num_computed_tokens = 0
        for request_id in schedule.num_scheduled_tokens:
            self.running.setdefault(request_id, self.sequences[request_id])

    def advance(self, schedule: Schedule, sampled: Mapping[str, int]) -> list[str]:
        """The tick was executed: record it. Returns who sampled its last token, in schedule order."""
        num_waiting, num_running = len(self.sequences) - len(self.running), len(self.running)
        num_context_tokens = 0
        done = []
        for request_id, num_tokens in schedule.num_scheduled_tokens.items():
            sequence = self.running[request_id]
            sequence.num_computed_tokens += num_tokens
            num_context_tokens += sequence.num_computed_tokens
            if request_id in sampled:
                sequence.output_token_ids.append(sampled[request_id])
                self.trace.requests[request_id].token_ticks.append(self.tick)
                if sequence.is_finished:
                    done.append(request_id)
        self.trace.ticks.append(
            TickRecord(
                tick=self.tick,
                num_scheduled_tokens=schedule.num_scheduled_tokens,
                preempted=schedule.preempted,
                finished=tuple(done),
                aborted=tuple(self.aborted),
                refused=tuple(self.refused),
                num_waiting=num_waiting,
                num_running=num_running,
                blocks_used=len(self.block_owner),
                num_context_tokens=num_context_tokens,
            )
        )
        for request_id in done:
            self._leave(request_id, "finished")
        return done

    def forget_blocks(self, request_id: str) -> None:
        """It holds no blocks any more."""
        for block in self.block_tables.pop(request_id, ()):
            if type(block) is int and self.block_owner.get(block) == request_id:
                del self.block_owner[block]

    def _leave(self, request_id: str, status: Literal["finished", "aborted"]) -> None:
        sequence = self.sequences.pop(request_id)
        self.running.pop(request_id, None)
        record = self.trace.requests[request_id]
        record.status = status
        record.leave(sequence.num_computed_tokens)
