"""Static and continuous batching; style: a heap of arrival numbers and one engine with strategy methods.

Every request gets an arrival number at the door and keeps it for life. The waiting queue is a heap of (number, id): a
preempted sequence that is pushed again is at the front by itself; an abort only forgets the sequence, and its heap
entry is thrown away when it surfaces. Running sequences are a dict id -> number: ascending numbers are the order of
admission, the largest number is the victim. The two schedulers share `_Engine` and fill in three strategy methods.
"""

import heapq
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

from batching_lab import KVAllocator, Request, RequestTooLong, Schedule, SchedulerConfig


@dataclass(eq=False, slots=True)
class _Entry:
    """A sequence, as counts: it knows `known` tokens and has computed `computed` of them."""

    number: int
    request: Request
    known: int
    worst_blocks: int
    computed: int = 0
    generated: int = 0

    @property
    def missing(self) -> int:
        return self.known - self.computed

    def append(self, token: int) -> bool:
        """Take a sampled token; was it the last one?"""
        self.known += 1
        self.generated += 1
        return self.generated >= self.request.max_tokens or token == self.request.eos_token_id


@dataclass(slots=True)
class _Tick:
    """The decision of one boundary while it is being made."""

    budget: int = sys.maxsize
    scheduled: dict[str, int] = field(default_factory=dict)
    preempted: list[str] = field(default_factory=list)


def _longest(request: Request) -> int:
    """P + max_tokens - 1: the most tokens that the request can ever have computed."""
    return len(request.prompt_token_ids) + request.max_tokens - 1


class _Engine:
    """All the bookkeeping; `_too_long`, `_continue_running` and `_admit` make the policy."""

    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        self._config = config
        self._kv = allocator
        self._entries: dict[str, _Entry] = {}
        self._waiting: list[tuple[int, str]] = []
        self._running: dict[str, int] = {}
        self._in_flight: list[tuple[_Entry, int]] = []
        self._next_number = 0

    # The strategy.

    def _too_long(self, request: Request) -> str | None:
        """Why the request could never finish, beyond the size of the pool; None: it could."""
        return None

    def _continue_running(self, tick: _Tick) -> None:
        raise NotImplementedError

    def _admit(self, tick: _Tick) -> None:
        raise NotImplementedError

    # The interface.

    def add_request(self, request: Request) -> None:
        """Queue a request; ValueError for an id that is here, RequestTooLong for one that could never finish."""
        name = request.request_id
        if name in self._entries:
            raise ValueError(f"request {name} is already in the scheduler")
        worst = self._blocks(_longest(request))
        if self._kv is not None and worst > self._kv.num_blocks:
            raise RequestTooLong(f"request {name} may need {worst} blocks of {self._kv.num_blocks}")
        reason = self._too_long(request)
        if reason is not None:
            raise RequestTooLong(f"request {name}: {reason}")
        entry = _Entry(self._next_number, request, len(request.prompt_token_ids), worst)
        self._next_number += 1
        self._entries[name] = entry
        heapq.heappush(self._waiting, (entry.number, name))

    def abort(self, request_id: str) -> None:
        """Drop a waiting or running sequence; an unknown or finished id is a no-op."""
        if request_id in self._entries:
            self._drop(request_id)

    def schedule(self) -> Schedule:
        """Decide the next tick."""
        limit = self._config.max_num_batched_tokens
        tick = _Tick() if limit is None else _Tick(limit)
        self._continue_running(tick)
        self._admit(tick)
        self._in_flight = [(self._entries[name], m) for name, m in tick.scheduled.items()]
        return Schedule(tick.scheduled, tuple(tick.preempted))

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        """Take in the tick's results; return the ids that finished, in schedule order."""
        batch, self._in_flight = self._in_flight, []
        finished: list[str] = []
        for entry, m in batch:
            name = entry.request.request_id
            if self._entries.get(name) is not entry:
                continue  # aborted since schedule()
            entry.computed += m
            if entry.missing == 0 and entry.append(sampled[name]):
                self._drop(name)
                finished.append(name)
        return finished

    def has_unfinished(self) -> bool:
        """Is anything waiting or running?"""
        return bool(self._entries)

    # Tools for the strategies.

    def _blocks(self, num_tokens: int) -> int:
        """blocks(n); 0 without an allocator."""
        return 0 if self._kv is None else -(-num_tokens // self._kv.block_size)

    def _in_order(self) -> list[_Entry]:
        """The running sequences in the order of their admission."""
        return sorted((self._entries[name] for name in self._running), key=lambda entry: entry.number)

    def _front(self) -> _Entry | None:
        """The first waiting sequence, after throwing away the heap entries of aborted ones."""
        while self._waiting:
            number, name = self._waiting[0]
            entry = self._entries.get(name)
            if entry is not None and entry.number == number:
                return entry
            heapq.heappop(self._waiting)
        return None

    def _start(self, entry: _Entry) -> None:
        """Move the front of the queue to the end of the running sequences."""
        number, name = heapq.heappop(self._waiting)
        assert number == entry.number
        self._running[name] = number

    def _fits(self, entry: _Entry, m: int) -> bool:
        return self._kv is None or self._kv.can_allocate(entry.request.request_id, entry.computed + m)

    def _run(self, tick: _Tick, entry: _Entry, m: int) -> None:
        """Schedule m tokens of a running sequence."""
        name = entry.request.request_id
        if self._kv is not None:
            self._kv.allocate(name, entry.computed + m)
        tick.scheduled[name] = m
        tick.budget -= m

    def _preempt_last(self, tick: _Tick) -> _Entry:
        """Evict the running sequence with the largest number; its number puts it at the front of the queue."""
        name = max(self._running, key=self._running.__getitem__)
        number = self._running.pop(name)
        if self._kv is not None:
            self._kv.free(name)
        entry = self._entries[name]
        entry.computed = 0
        heapq.heappush(self._waiting, (number, name))
        tick.preempted.append(name)
        return entry

    def _drop(self, name: str) -> None:
        """Forget a sequence and give its blocks back (only running ones hold any)."""
        del self._entries[name]
        if self._running.pop(name, None) is not None and self._kv is not None:
            self._kv.free(name)


class StaticScheduler(_Engine):
    """A batch is formed only when nothing is running; slots of finished sequences stay empty until it is done."""

    def _continue_running(self, tick: _Tick) -> None:
        tick.budget = sys.maxsize  # static batching has no token budget
        for entry in self._in_order():
            self._run(tick, entry, entry.missing)

    def _admit(self, tick: _Tick) -> None:
        if self._running:
            return
        promised = 0
        while len(self._running) < self._config.max_num_seqs and (entry := self._front()) is not None:
            promised += entry.worst_blocks
            if self._kv is not None and promised > self._kv.num_blocks:
                return
            self._start(entry)
            self._run(tick, entry, entry.missing)


class ContinuousScheduler(_Engine):
    """Running sequences first, then first come, first served, within the budgets of the tick."""

    def _too_long(self, request: Request) -> str | None:
        config = self._config
        limit = config.max_num_batched_tokens
        if limit is None or config.enable_chunked_prefill:
            return None
        may_preempt = self._kv is not None and config.kv_policy == "max_utilization"
        prefill = _longest(request) if may_preempt else len(request.prompt_token_ids)
        return f"its prefill may be {prefill} tokens, the budget is {limit}" if prefill > limit else None

    def _piece(self, entry: _Entry, budget: int) -> int:
        """What is missing, cut to the budget and, with chunked prefill, to the chunk size."""
        m = min(entry.missing, budget)
        chunk = self._config.prefill_chunk_size
        return min(m, chunk) if self._config.enable_chunked_prefill and chunk is not None else m

    def _continue_running(self, tick: _Tick) -> None:
        for entry in self._in_order():
            # Victims have the largest numbers: whoever comes after an evicted sequence is evicted as well.
            if tick.budget == 0 or entry.request.request_id not in self._running:
                return
            m = self._piece(entry, tick.budget)
            while not self._fits(entry, m):
                if self._preempt_last(tick) is entry:
                    return
            self._run(tick, entry, m)

    def _admit(self, tick: _Tick) -> None:
        if tick.preempted:
            return
        reserve = self._kv is not None and self._config.kv_policy == "guaranteed_no_evict"
        promised = sum(self._entries[name].worst_blocks for name in self._running) if reserve else 0
        while len(self._running) < self._config.max_num_seqs and tick.budget > 0:
            entry = self._front()
            if entry is None:
                return
            m = self._piece(entry, tick.budget)
            if not self._config.enable_chunked_prefill and m < entry.missing:
                return
            if not self._fits(entry, m):
                return
            if reserve and self._kv is not None:
                promised += entry.worst_blocks
                if promised > self._kv.num_blocks:
                    return
            self._start(entry)
            self._run(tick, entry, m)
