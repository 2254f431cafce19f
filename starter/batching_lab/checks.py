"""What the serving loop checks at every tick, and the sentences about what it saw."""

from collections.abc import Iterable, Mapping
from typing import Literal

from batching_lab.config import SchedulerConfig
from batching_lab.errors import RuleViolation
from batching_lab.interfaces import KVAllocator
from batching_lab.ledger import Ledger
from batching_lab.schedule import Schedule
from batching_lab.trace import Trace

AS_SAID = None  # for `seen`: the sentence as it is, since it names no number of the workload


class ViolationInRun(RuleViolation):
    """The serving loop saw a rule broken.

    trace     the run up to there
    decision  what the scheduler decided in that tick, if it had
    """

    def __init__(
        self,
        rule: str,
        tick: int,
        what: str,
        request_id: str | None,
        seen: str,
        trace: Trace,
        decision: Schedule | None,
    ) -> None:
        super().__init__(rule, tick, what, request_id, seen)
        self.trace = trace
        self.decision = decision


class Checks:
    """The checks of one run.

    mode      "raise" the first violation, or only "record" it in the trace
    decision  of the scheduler in this tick, once there is one
    is_stuck  can the run not go on from here, whatever the mode?
    """

    def __init__(self, ledger: Ledger, allocator: KVAllocator | None, mode: Literal["raise", "record"]) -> None:
        self.ledger = ledger
        self.allocator = allocator
        self.mode = mode
        self.decision: Schedule | None = None
        self.is_stuck = False

    def boundary(self, has_unfinished: object) -> None:
        """After arrivals and aborts: is everything accounted for?"""
        self.decision = None
        for request_id in self.ledger.aborted:
            self._released(request_id, "was aborted")
        self._free_blocks()
        if type(has_unfinished) is not bool:
            self._broken("has_unfinished", f"has_unfinished() returned {shown(has_unfinished)}, not True or False")
        elif has_unfinished is not bool(self.ledger.sequences):
            whereas = "nothing is waiting or running" if has_unfinished else "a request is waiting or running"
            told = f"has_unfinished() is {has_unfinished!r}, but"
            self._broken("has_unfinished", f"{told} {self._state()}", seen=f"{told} {whereas}")

    def schedule(self, schedule: Schedule) -> Schedule:
        """Check a decision and take it into the account. Returns a copy that the scheduler can't change."""
        if fault := schedule_type_fault(schedule):
            self.is_stuck = True  # there is nothing that could be executed
            self._broken("schedule_type", fault)
            return Schedule({})
        schedule = Schedule(dict(schedule.num_scheduled_tokens), schedule.preempted)
        self.decision = schedule
        limits = self.ledger.trace.limits
        self._preempted(schedule, may_preempt=limits is None or limits.kv_policy != "guaranteed_no_evict")
        self._scheduled(schedule, may_chunk=limits is None or limits.enable_chunked_prefill)
        if limits:
            self._limits(limits, schedule)
        if self.ledger.trace.violation:
            schedule = self._executable_part(schedule)
        self.ledger.decide(schedule)
        self._progress(schedule)
        if self.allocator is not None:
            self._blocks(schedule, self.allocator)
        return schedule

    def _preempted(self, schedule: Schedule, may_preempt: bool) -> None:
        for position, request_id in enumerate(schedule.preempted):
            if not may_preempt:
                self._broken("no_evict", f"{request_id} was preempted", request_id)
            if request_id not in self.ledger.running or request_id in schedule.preempted[:position]:
                what = f"{request_id} was preempted, but it was not running"
                self._broken("preemption", what, request_id, seen=AS_SAID)
            if request_id in schedule.num_scheduled_tokens:
                what = f"{request_id} was preempted and scheduled in one tick"
                self._broken("preemption", what, request_id, seen=AS_SAID)

    def _scheduled(self, schedule: Schedule, may_chunk: bool) -> None:
        for request_id, num_tokens in schedule.num_scheduled_tokens.items():
            sequence = self.ledger.sequences.get(request_id)
            if sequence is None:
                what = f"{request_id} was scheduled, but it {self._whereabouts(request_id)}"
                self._broken("live", what, request_id, seen=AS_SAID)
                continue
            uncomputed = sequence.num_uncomputed_tokens
            if not 1 <= num_tokens <= uncomputed:
                what = f"{request_id} was scheduled for {num_tokens} tokens, but has {uncomputed} to compute"
                wrong = "less than 1 token" if num_tokens < 1 else "too many tokens"
                self._broken("num_tokens", what, request_id, seen=f"{request_id} was scheduled for {wrong}")
            elif num_tokens < uncomputed and not may_chunk:
                what = f"{request_id} was scheduled for {num_tokens} of {uncomputed} uncomputed tokens"
                self._broken("chunking", what, request_id)

    def _limits(self, limits: SchedulerConfig, schedule: Schedule) -> None:
        scheduled = schedule.num_scheduled_tokens
        chunk_size = limits.prefill_chunk_size if limits.enable_chunked_prefill else None
        for request_id, num_tokens in scheduled.items():
            if chunk_size is not None and num_tokens > chunk_size:
                what = f"{request_id} was scheduled for {num_tokens} tokens, but prefill_chunk_size is {chunk_size}"
                self._broken("chunk_size", what, request_id)
        budget = limits.max_num_batched_tokens
        if budget is not None and sum(scheduled.values()) > budget:
            self._broken("token_budget", f"{sum(scheduled.values())} tokens were scheduled, but the budget is {budget}")
        num_running = len(self.ledger.running.keys() | scheduled.keys()) - len(schedule.preempted)
        if num_running > limits.max_num_seqs:
            self._broken("slots", f"{num_running} sequences are running, but there are {limits.max_num_seqs} slots")

    def _progress(self, schedule: Schedule) -> None:
        if self.ledger.sequences and not schedule.num_scheduled_tokens:
            self.is_stuck = True
            self._broken("stalled", f"nothing was scheduled, but {self._state()}", seen="nothing was scheduled")
        if self.ledger.sequences and self.ledger.tick > self.ledger.bound:
            self.is_stuck = True
            self._broken("bound", f"the run should have been over by tick {self.ledger.bound}, but {self._state()}")

    def _executable_part(self, schedule: Schedule) -> Schedule:
        """After a violation that was only recorded: what can be executed all the same."""
        sequences, running = self.ledger.sequences, self.ledger.running
        preempted = tuple(dict.fromkeys(request_id for request_id in schedule.preempted if request_id in running))
        scheduled = {
            request_id: min(num_tokens, sequences[request_id].num_uncomputed_tokens)
            for request_id, num_tokens in schedule.num_scheduled_tokens.items()
            if request_id in sequences and request_id not in preempted and num_tokens >= 1
        }
        return Schedule(scheduled, preempted)

    def _blocks(self, schedule: Schedule, allocator: KVAllocator) -> None:
        for request_id in schedule.preempted:
            self._released(request_id, "was preempted")
        for request_id, sequence in self.ledger.running.items():
            table = allocator.block_table(request_id)
            if type(table) is not list:
                self._broken("block_table", f"the block table of {request_id} is {shown(table)}", request_id)
                continue
            if table != self.ledger.block_tables.get(request_id):
                self._changed_table(request_id, table, allocator.num_blocks)
            num_tokens = sequence.num_computed_tokens + schedule.num_scheduled_tokens.get(request_id, 0)
            num_blocks = -(-num_tokens // allocator.block_size)
            if len(table) != num_blocks:
                what = f"{request_id} holds {len(table)} blocks for {num_tokens} tokens, not {num_blocks}"
                seen = f"{request_id} holds too {'few' if len(table) < num_blocks else 'many'} blocks"
                self._broken("blocks_held", f"{what} (block size {allocator.block_size})", request_id, seen=seen)
        self._free_blocks()

    def _changed_table(self, request_id: str, table: list[int], num_blocks: int) -> None:
        """A table has changed since the last tick: check the difference and take it into the account."""
        known = self.ledger.block_tables.get(request_id, [])
        if table[: len(known)] != known:
            self._changed_block(request_id, table, known)
            self.ledger.forget_blocks(request_id)
            known = []
        for block in table[len(known) :]:
            if type(block) is not int:
                self._broken("block_table", f"the block table of {request_id} holds {shown(block)}", request_id)
            else:
                self._new_block(request_id, block, num_blocks)
        self.ledger.block_tables[request_id] = list(table)

    def _changed_block(self, request_id: str, table: list[int], known: list[int]) -> None:
        position = next(i for i, block in enumerate(known) if table[i : i + 1] != [block])
        now = table[position] if position < len(table) else "gone"
        what = f"block {position} in the table of {request_id} was {known[position]} and is {now}"
        seen = "has lost a block from its table, or has another one in its place, while it was running"
        self._broken("block_table", what, request_id, seen=f"{request_id} {seen}")

    def _new_block(self, request_id: str, block: int, num_blocks: int) -> None:
        owner = self.ledger.block_owner.get(block)
        if not 0 <= block < num_blocks:
            self._broken("block_id", f"{request_id} was given block {block} of {num_blocks}", request_id)
        elif owner is not None:
            what = f"{request_id} was given block {block}, which {owner} holds"
            self._broken("block_owner", what, request_id, seen=f"{request_id} was given a block that {owner} holds")
        self.ledger.block_owner.setdefault(block, request_id)

    def _released(self, request_id: str, why: str) -> None:
        """Forget the blocks of a request, which ("was aborted", say) `why`; the allocator must have taken them back."""
        self.ledger.forget_blocks(request_id)
        table = [] if self.allocator is None else self.allocator.block_table(request_id)
        if table != []:
            what = f"{request_id} {why}, but its block table is {shown(table)}"
            self._broken("blocks_released", what, request_id, seen=f"{request_id} {why}, but holds blocks")

    def _free_blocks(self) -> None:
        if self.allocator is None:
            return
        free, held, total = self.allocator.num_free_blocks, len(self.ledger.block_owner), self.allocator.num_blocks
        if type(free) is not int:
            self._broken("free_blocks", f"num_free_blocks is {shown(free)}, not an int")
        elif free != total - held:
            what = f"{free!r} blocks are free and {held} are held, but the pool has {total}"
            seen = "blocks are free that somebody holds" if free > total - held else "blocks are held by nobody"
            self._broken("free_blocks", what, seen=seen)

    def update(self, schedule: Schedule, sampled: Mapping[str, int], finished: list[str]) -> None:
        """Take the executed tick into the account, and check who finished."""
        if fault := update_type_fault(finished):
            self._broken("update_type", fault)
            finished = []
        expected = self.ledger.advance(schedule, sampled)
        if finished != expected:
            self._finished(expected, finished)
        for request_id in expected:
            self._released(request_id, "finished")
        self._free_blocks()

    def _finished(self, expected: list[str], finished: list[str]) -> None:
        for request_id in expected:
            if request_id not in finished:
                what = f"{request_id} sampled its last token, but update() did not name it"
                self._broken("finished", what, request_id, seen=AS_SAID)
        for request_id in finished:
            if request_id not in expected:
                what = f"update() named {request_id}, which {self._whereabouts(request_id)}"
                self._broken("finished", what, request_id, seen=AS_SAID)
        what = f"update() returned {finished}, but in schedule order it is {expected}"
        self._broken("finished", what, seen="update() named the right sequences, but not once each in schedule order")

    def _whereabouts(self, request_id: str) -> str:
        if request_id in self.ledger.sequences:
            return "is not finished"
        record = self.ledger.trace.requests.get(request_id)
        if record is None:
            return "was never added"
        return "has not arrived yet" if record.status == "unfinished" else f"is {record.status} already"

    def _state(self) -> str:
        running = self.ledger.running
        waiting = [request_id for request_id in self.ledger.sequences if request_id not in running]
        state = f"{names(waiting)} waiting and {names(running)} running"
        if self.allocator is None:
            return state
        num_blocks = self.allocator.num_blocks
        return f"{state}, with {num_blocks - len(self.ledger.block_owner)} of {num_blocks} blocks free"

    def _broken(self, rule: str, what: str, request_id: str | None = None, *, seen: str | None = "") -> None:
        """Raise or record a violation.

        seen  what happened without a number of the workload, as `RuleViolation` has it; "" if the rule says it all
        """
        told = what if seen is AS_SAID else seen
        violation = ViolationInRun(rule, self.ledger.tick, what, request_id, told, self.ledger.trace, self.decision)
        if self.ledger.trace.violation is None:
            self.ledger.trace.violation = violation
        if self.mode == "raise":
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
    is_right = type(finished) is list and all(type(request_id) is str for request_id in finished)
    return "" if is_right else f"update() returned {shown(finished)}"


def shown(value: object) -> str:
    """A value with its type, short enough for a message: `3.0 (float)`."""
    text = repr(value)
    if len(text) > 60:
        text = text[:57] + "..."
    return f"{text} ({type(value).__name__})" if value is not None else text


def names(request_ids: Iterable[str]) -> str:
    """The ids, with commas; of more than 6 the first 5, and how many there are besides."""
    listed = list(request_ids)
    if len(listed) > 6:
        return ", ".join(listed[:5]) + f" and {len(listed) - 5} more"
    return ", ".join(listed) or "nobody"
