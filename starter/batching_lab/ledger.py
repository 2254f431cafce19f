"""The loop's own account of a run: what every request has computed and which blocks it holds.

Nothing that a scheduler or an allocator says is believed; it is compared with this account.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from batching_lab.config import SchedulerConfig
from batching_lab.errors import RuleViolation
from batching_lab.interfaces import KVAllocator, Scheduler
from batching_lab.request import Job, Request, Sequence, require_distinct_ids
from batching_lab.schedule import Schedule
from batching_lab.trace import RequestRecord, TickRecord, Trace


def limits_of(scheduler: Scheduler) -> SchedulerConfig | None:
    """What a scheduler is held to: its `config`, less what static batching ignores. None if it shows none."""
    config = getattr(scheduler, "config", None)
    if not isinstance(config, SchedulerConfig):
        return None
    names = [cls.__name__ for cls in type(scheduler).__mro__]  # the class itself comes first
    kind = next((name for name in names if name in ("StaticScheduler", "ContinuousScheduler")), "")
    return static_limits(config) if kind == "StaticScheduler" else config


def static_limits(config: SchedulerConfig) -> SchedulerConfig:
    """Static batching knows slots and KV blocks only."""
    return replace(config, max_num_batched_tokens=None, enable_chunked_prefill=False, kv_policy="guaranteed_no_evict")


class Ledger:
    """Follows one run, checks each tick, and writes the trace.

    sequences     every unfinished request that was accepted, in order of arrival
    running       those of them that have been scheduled and not preempted since, in order of admission
    block_tables  running request -> the block ids that it holds
    """

    def __init__(
        self,
        jobs: list[Job],
        limits: SchedulerConfig | None,
        allocator: KVAllocator | None,
        checks: Literal["raise", "record"],
    ) -> None:
        self.limits = limits
        self.allocator = allocator
        self.checks = checks
        num_blocks, block_size = (None, None) if allocator is None else (allocator.num_blocks, allocator.block_size)
        self.trace = Trace(limits, num_blocks, block_size)
        self.sequences: dict[str, Sequence] = {}
        self.running: dict[str, Sequence] = {}
        self.block_tables: dict[str, list[int]] = {}
        self.block_owner: dict[int, str] = {}
        self.tick = 0
        self.is_stuck = False
        self.aborted: list[str] = []
        self.refused: list[str] = []
        self.decision: Schedule | None = None
        self.last_tick = 0
        require_distinct_ids(jobs)
        for job in jobs:
            request_id = job.request.request_id
            self.trace.requests[request_id] = RequestRecord(request_id, job.arrival, len(job.request.prompt_token_ids))
            self.last_tick = max(self.last_tick, job.arrival)
        self.last_tick += sum(len(job.request.prompt_token_ids) + job.num_output_tokens - 1 for job in jobs)

    # -- what happens at a boundary

    def next_tick(self) -> int:
        self.tick += 1
        self.aborted = []
        self.refused = []
        self.decision = None
        return self.tick

    def add(self, request: Request) -> None:
        self.sequences[request.request_id] = Sequence(request)

    def refuse(self, request: Request) -> None:
        self.trace.requests[request.request_id].status = "refused"
        self.refused.append(request.request_id)

    def abort(self, request: Request) -> None:
        if request.request_id not in self.sequences:
            return  # it hung up late
        self.trace.requests[request.request_id].status = "aborted"
        self.aborted.append(request.request_id)
        self._drop(request.request_id)

    def check_boundary(self, has_unfinished: object) -> None:
        """After arrivals and aborts: is everything accounted for?"""
        for request_id in self.aborted:
            self._check_released(request_id, "was aborted")
        self._check_free_blocks()
        if type(has_unfinished) is not bool:
            self._broken("has_unfinished", f"has_unfinished() returned {shown(has_unfinished)}, not True or False")
        elif has_unfinished is not bool(self.sequences):
            whereas = "nothing is waiting or running" if has_unfinished else "a request is waiting or running"
            self._broken(
                "has_unfinished",
                f"has_unfinished() is {has_unfinished!r}, but {self._state()}",
                seen=f"has_unfinished() is {has_unfinished!r}, but {whereas}",
            )

    # -- schedule()

    def check_schedule(self, schedule: Schedule) -> Schedule:
        """Check a decision and take it into the account. Returns a copy that the scheduler can't change."""
        if fault := schedule_type_fault(schedule):
            self.is_stuck = True  # there is nothing that could be executed
            self._broken("schedule_type", fault)
            return Schedule({})
        schedule = Schedule(dict(schedule.num_scheduled_tokens), schedule.preempted)
        self.decision = schedule
        self._check_preempted(schedule)
        self._check_scheduled(schedule)
        if self.limits:
            self._check_limits(self.limits, schedule)
        if self.trace.violation:
            schedule = self._executable_part(schedule)
        for request_id in schedule.preempted:
            self.trace.requests[request_id].preempt(self.sequences[request_id].num_computed_tokens)
            self.sequences[request_id].num_computed_tokens = 0
            del self.running[request_id]
        for request_id in schedule.num_scheduled_tokens:
            if request_id not in self.running:
                self.running[request_id] = self.sequences[request_id]
        self._check_progress(schedule)
        self._check_blocks(schedule)
        return schedule

    def _check_preempted(self, schedule: Schedule) -> None:
        for position, request_id in enumerate(schedule.preempted):
            if self.limits and self.limits.kv_policy == "guaranteed_no_evict":
                self._broken("no_evict", f"{request_id} was preempted", request_id)
            if request_id not in self.running or request_id in schedule.preempted[:position]:
                what = f"{request_id} was preempted, but it was not running"
                self._broken("preemption", what, request_id, what)
            if request_id in schedule.num_scheduled_tokens:
                what = f"{request_id} was preempted and scheduled in one tick"
                self._broken("preemption", what, request_id, what)

    def _check_scheduled(self, schedule: Schedule) -> None:
        chunked = self.limits is None or self.limits.enable_chunked_prefill
        for request_id, num_tokens in schedule.num_scheduled_tokens.items():
            sequence = self.sequences.get(request_id)
            if sequence is None:
                what = f"{request_id} was scheduled, but it {self._whereabouts(request_id)}"
                self._broken("live", what, request_id, what)
                continue
            uncomputed = sequence.num_uncomputed_tokens
            if not 1 <= num_tokens <= uncomputed:
                self._broken(
                    "num_tokens",
                    f"{request_id} was scheduled for {num_tokens} tokens, but has {uncomputed} to compute",
                    request_id,
                    f"{request_id} was scheduled for " + ("less than 1 token" if num_tokens < 1 else "too many tokens"),
                )
            elif num_tokens < uncomputed and not chunked:
                self._broken(
                    "chunking",
                    f"{request_id} was scheduled for {num_tokens} of {uncomputed} uncomputed tokens",
                    request_id,
                )

    def _check_limits(self, limits: SchedulerConfig, schedule: Schedule) -> None:
        scheduled = schedule.num_scheduled_tokens
        chunk_size = limits.prefill_chunk_size if limits.enable_chunked_prefill else None
        if chunk_size is not None and max(scheduled.values(), default=0) > chunk_size:
            for request_id, num_tokens in scheduled.items():
                if num_tokens > chunk_size:
                    self._broken(
                        "chunk_size",
                        f"{request_id} was scheduled for {num_tokens} tokens, but prefill_chunk_size is {chunk_size}",
                        request_id,
                    )
        if limits.max_num_batched_tokens is not None:
            num_tokens = sum(scheduled.values())
            if num_tokens > limits.max_num_batched_tokens:
                self._broken(
                    "token_budget",
                    f"{num_tokens} tokens were scheduled, but the budget is {limits.max_num_batched_tokens}",
                )
        num_running = len(self.running.keys() | scheduled.keys()) - len(schedule.preempted)
        if num_running > limits.max_num_seqs:
            self._broken("slots", f"{num_running} sequences are running, but there are {limits.max_num_seqs} slots")

    def _check_progress(self, schedule: Schedule) -> None:
        if self.sequences and not schedule.num_scheduled_tokens:
            self.is_stuck = True
            self._broken("stalled", f"nothing was scheduled, but {self._state()}", seen="nothing was scheduled")
        if self.sequences and self.tick > self.last_tick:
            self.is_stuck = True
            self._broken("bound", f"the run should have been over by tick {self.last_tick}, but {self._state()}")

    def _executable_part(self, schedule: Schedule) -> Schedule:
        """After a violation that was only recorded: what can be executed all the same."""
        preempted = tuple(dict.fromkeys(request_id for request_id in schedule.preempted if request_id in self.running))
        scheduled = {
            request_id: min(num_tokens, self.sequences[request_id].num_uncomputed_tokens)
            for request_id, num_tokens in schedule.num_scheduled_tokens.items()
            if request_id in self.sequences and request_id not in preempted and num_tokens >= 1
        }
        return Schedule(scheduled, preempted)

    # -- KV blocks

    def _check_blocks(self, schedule: Schedule) -> None:
        if self.allocator is None:
            return
        for request_id in schedule.preempted:
            self._check_released(request_id, "was preempted")
        block_size = self.allocator.block_size
        scheduled = schedule.num_scheduled_tokens
        for request_id, sequence in self.running.items():
            table = self.allocator.block_table(request_id)
            if type(table) is not list:
                self._broken("block_table", f"the block table of {request_id} is {shown(table)}", request_id)
                continue
            if table != self.block_tables.get(request_id):
                self._take_over(request_id, table)
            num_tokens = sequence.num_computed_tokens + scheduled.get(request_id, 0)
            num_blocks = -(-num_tokens // block_size)
            if len(table) != num_blocks:
                self._broken(
                    "blocks_held",
                    f"{request_id} holds {len(table)} blocks for {num_tokens} tokens, not {num_blocks} "
                    f"(block size {block_size})",
                    request_id,
                    f"{request_id} holds too {'few' if len(table) < num_blocks else 'many'} blocks",
                )
        self._check_free_blocks()

    def _take_over(self, request_id: str, table: list[int]) -> None:
        """A table has changed since the last tick: check the difference and note it."""
        assert self.allocator is not None
        known = self.block_tables.get(request_id, [])
        if table[: len(known)] != known:
            position = next(i for i, block in enumerate(known) if table[i : i + 1] != [block])
            now = table[position] if position < len(table) else "gone"
            self._broken(
                "block_table",
                f"block {position} in the table of {request_id} was {known[position]} and is {now}",
                request_id,
                f"{request_id} has lost a block from its table, or has another one in its place, while it was running",
            )
            self._forget(request_id)
            known = []
        for block in table[len(known) :]:
            if type(block) is not int:
                self._broken("block_table", f"the block table of {request_id} holds {shown(block)}", request_id)
                continue
            if not 0 <= block < self.allocator.num_blocks:
                self._broken(
                    "block_id", f"{request_id} was given block {block} of {self.allocator.num_blocks}", request_id
                )
            elif block in self.block_owner:
                self._broken(
                    "block_owner",
                    f"{request_id} was given block {block}, which {self.block_owner[block]} holds",
                    request_id,
                    f"{request_id} was given a block that {self.block_owner[block]} holds",
                )
            self.block_owner.setdefault(block, request_id)
        self.block_tables[request_id] = list(table)

    def _check_released(self, request_id: str, why: str) -> None:
        """Forget the blocks of a request that `why`, and check that the allocator has, too."""
        self._forget(request_id)
        if self.allocator is not None:
            table = self.allocator.block_table(request_id)
            if table != []:
                self._broken(
                    "blocks_released",
                    f"{request_id} {why}, but its block table is {shown(table)}",
                    request_id,
                    f"{request_id} {why}, but holds blocks",
                )

    def _forget(self, request_id: str) -> None:
        for block in self.block_tables.pop(request_id, ()):
            if type(block) is int and self.block_owner.get(block) == request_id:
                del self.block_owner[block]

    def _check_free_blocks(self) -> None:
        if self.allocator is None:
            return
        free, held, total = self.allocator.num_free_blocks, len(self.block_owner), self.allocator.num_blocks
        if type(free) is not int:
            self._broken("free_blocks", f"num_free_blocks is {shown(free)}, not an int")
        elif free != total - held:
            self._broken(
                "free_blocks",
                f"{free!r} blocks are free and {held} are held, but the pool has {total}",
                seen="blocks are free that somebody holds" if free > total - held else "blocks are held by nobody",
            )

    # -- update()

    def check_update(self, schedule: Schedule, sampled: Mapping[str, int], finished: list[str]) -> None:
        """Advance the account by the executed tick, check who finished, and record the tick."""
        if fault := update_type_fault(finished):
            self._broken("update_type", fault)
            finished = []
        num_waiting = len(self.sequences) - len(self.running)
        num_running = len(self.running)
        num_context_tokens = 0
        requests = self.trace.requests
        expected = []
        for request_id, num_tokens in schedule.num_scheduled_tokens.items():
            sequence = self.running[request_id]
            sequence.num_computed_tokens += num_tokens
            num_context_tokens += sequence.num_computed_tokens
            if request_id in sampled:
                sequence.output_token_ids.append(sampled[request_id])
                requests[request_id].token_ticks.append(self.tick)
                if sequence.is_finished:
                    expected.append(request_id)
        self.trace.ticks.append(
            TickRecord(
                tick=self.tick,
                num_scheduled_tokens=schedule.num_scheduled_tokens,
                preempted=schedule.preempted,
                finished=tuple(expected),
                aborted=tuple(self.aborted),
                refused=tuple(self.refused),
                num_waiting=num_waiting,
                num_running=num_running,
                blocks_used=len(self.block_owner),
                num_context_tokens=num_context_tokens,
            )
        )
        for request_id in expected:
            self.trace.requests[request_id].status = "finished"
            self._drop(request_id)
        self._check_finished(expected, finished)
        for request_id in expected:
            self._check_released(request_id, "finished")
        self._check_free_blocks()

    def _check_finished(self, expected: list[str], finished: list[str]) -> None:
        if finished == expected:
            return
        for request_id in expected:
            if request_id not in finished:
                what = f"{request_id} sampled its last token, but update() did not name it"
                self._broken("finished", what, request_id, what)
        for request_id in finished:
            if request_id not in expected:
                what = f"update() named {request_id}, which {self._whereabouts(request_id)}"
                self._broken("finished", what, request_id, what)
        self._broken(
            "finished",
            f"update() returned {finished}, but in schedule order it is {expected}",
            seen="update() named the right sequences, but not once each in schedule order",
        )

    # -- small helpers

    def _drop(self, request_id: str) -> None:
        sequence = self.sequences.pop(request_id)
        self.running.pop(request_id, None)
        self.trace.requests[request_id].leave(sequence.num_computed_tokens)

    def _whereabouts(self, request_id: str) -> str:
        if request_id in self.sequences:
            return "is not finished"
        record = self.trace.requests.get(request_id)
        if record is None:
            return "was never added"
        return "has not arrived yet" if record.status == "unfinished" else f"is {record.status} already"

    def _state(self) -> str:
        waiting = [request_id for request_id in self.sequences if request_id not in self.running]
        state = f"{_names(waiting)} waiting and {_names(self.running)} running"
        if self.allocator is not None:
            state += (
                f", with {self.allocator.num_blocks - len(self.block_owner)} of {self.allocator.num_blocks} blocks free"
            )
        return state

    def _broken(self, rule: str, what: str, request_id: str | None = None, seen: str = "") -> None:
        violation = RuleViolation(rule, self.tick, what, request_id, seen)
        violation.trace, violation.decision = self.trace, self.decision
        if self.trace.violation is None:
            self.trace.violation = violation
        if self.checks == "raise":
            raise violation


def schedule_type_fault(schedule: object) -> str:
    """What is wrong with the types of a `Schedule`; empty if they are right."""
    if not isinstance(schedule, Schedule):
        return f"schedule() returned {shown(schedule)}"
    scheduled, preempted = schedule.num_scheduled_tokens, schedule.preempted
    if type(scheduled) is not dict:
        return f"num_scheduled_tokens is {shown(scheduled)}"
    if set(map(type, scheduled)) - {str} or set(map(type, scheduled.values())) - {int}:
        wrong = next(item for item in scheduled.items() if (type(item[0]), type(item[1])) != (str, int))
        return f"num_scheduled_tokens holds {shown(wrong[0])}: {shown(wrong[1])}"
    if type(preempted) is not tuple or set(map(type, preempted)) - {str}:
        return f"preempted is {shown(preempted)}"
    return ""


def update_type_fault(finished: object) -> str:
    """What is wrong with the type of what update() returned; empty if it is right."""
    if type(finished) is not list or set(map(type, finished)) - {str}:
        return f"update() returned {shown(finished)}"
    return ""


def shown(value: object) -> str:
    """A value with its type, short enough for a message: `3.0 (float)`."""
    text = repr(value)
    if len(text) > 60:
        text = text[:57] + "..."
    return f"{text} ({type(value).__name__})" if value is not None else text


def _names(request_ids: Iterable[str]) -> str:
    names = list(request_ids)
    if len(names) > 6:
        return ", ".join(names[:5]) + f" and {len(names) - 5} more"
    return ", ".join(names) or "nobody"
