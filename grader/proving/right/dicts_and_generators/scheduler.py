"""Static and continuous batching, style "dicts and generators".

No sequence objects and no base class: each scheduler holds a ledger of plain dicts (see bookkeeping.py), and its
generator of events decides the boundary. `enact` carries out an event before the generator decides the next one.
"""

import sys
from collections.abc import Iterator, Mapping

from bookkeeping import (
    EVICT,
    Event,
    enact,
    fits,
    leave,
    new_ledger,
    queue,
    refuse_duplicate,
    settle,
    uncomputed,
    worst_case,
)

from batching_lab import KVAllocator, Request, RequestTooLong, Schedule, SchedulerConfig

NO_LIMIT = sys.maxsize


def refuse_too_many_blocks(request: Request, allocator: KVAllocator | None) -> None:
    blocks = worst_case(request, allocator)
    if allocator is not None and blocks > allocator.num_blocks:
        raise RequestTooLong(f"request {request.request_id} may need {blocks} blocks of {allocator.num_blocks}")


class StaticScheduler:
    """Batches formed only when nothing is running."""

    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        self._slots = config.max_num_seqs
        self._kv = allocator
        self._ledger = new_ledger()

    def add_request(self, request: Request) -> None:
        refuse_duplicate(self._ledger, request.request_id)
        refuse_too_many_blocks(request, self._kv)
        self._ledger[0][request.request_id] = (request, 0, 0)

    def abort(self, request_id: str) -> None:
        leave(self._ledger, request_id, self._kv)

    def schedule(self) -> Schedule:
        return Schedule(dict(enact(self._ledger, self._events(), self._kv)))

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        return list(settle(self._ledger, sampled, self._kv))

    def has_unfinished(self) -> bool:
        return bool(self._ledger[0])

    def _events(self) -> Iterator[Event]:
        entries, seats, _ = self._ledger
        yield from self._new_batch() if not seats else ((rid, uncomputed(entries[rid])) for rid in seats)

    def _new_batch(self) -> Iterator[Event]:
        seats = self._ledger[1]
        reserved = 0
        for request_id, entry in queue(self._ledger):
            reserved += worst_case(entry[0], self._kv)
            if len(seats) >= self._slots or (self._kv is not None and reserved > self._kv.num_blocks):
                return
            yield request_id, uncomputed(entry)


class ContinuousScheduler:
    """Every boundary serves the running sequences first, then admits from the queue."""

    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        self._limits = config
        self._kv = allocator
        self._ledger = new_ledger()
        chunk = config.prefill_chunk_size if config.enable_chunked_prefill else None
        self._chunk = NO_LIMIT if chunk is None else chunk
        self._budget = NO_LIMIT if config.max_num_batched_tokens is None else config.max_num_batched_tokens
        self._may_evict = allocator is not None and config.kv_policy == "max_utilization"

    def add_request(self, request: Request) -> None:
        refuse_duplicate(self._ledger, request.request_id)
        refuse_too_many_blocks(request, self._kv)
        prefill = len(request.prompt_token_ids) + (request.max_tokens - 1 if self._may_evict else 0)
        if not self._limits.enable_chunked_prefill and prefill > self._budget:
            raise RequestTooLong(
                f"request {request.request_id} may need a prefill of {prefill} tokens, the budget is {self._budget}"
            )
        self._ledger[0][request.request_id] = (request, 0, 0)

    def abort(self, request_id: str) -> None:
        leave(self._ledger, request_id, self._kv)

    def schedule(self) -> Schedule:
        events = tuple(enact(self._ledger, self._events(), self._kv))
        return Schedule(
            {request_id: m for request_id, m in events if m != EVICT},
            tuple(request_id for request_id, m in events if m == EVICT),
        )

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        return list(settle(self._ledger, sampled, self._kv))

    def has_unfinished(self) -> bool:
        return bool(self._ledger[0])

    def _events(self) -> Iterator[Event]:
        budget = self._budget
        evicted = False
        for event in self._grow(budget):
            budget -= event[1]
            evicted = evicted or event[1] == EVICT
            yield event
        if not evicted:
            yield from self._admit(budget)

    def _grow(self, budget: int) -> Iterator[Event]:
        """Step 2: running sequences in order of admission; blocks that are short come from the one admitted last."""
        entries, seats, _ = self._ledger
        for request_id in tuple(seats):
            if budget == 0 or request_id not in seats:
                return  # evictions take from the end: all that follow are gone too
            m = min(uncomputed(entries[request_id]), budget, self._chunk)
            while not fits(self._ledger, request_id, m, self._kv):
                victim = next(reversed(seats))
                yield victim, EVICT
                if victim == request_id:
                    return
            budget -= m
            yield request_id, m

    def _admit(self, budget: int) -> Iterator[Event]:
        """Step 3: from the front of the queue, until the first that can't be admitted."""
        seats = self._ledger[1]
        reserved = sum(seats.values())
        for request_id, entry in queue(self._ledger):
            if len(seats) >= self._limits.max_num_seqs or budget == 0:
                return
            m = uncomputed(entry)
            if self._limits.enable_chunked_prefill:
                m = min(m, budget, self._chunk)
            reserved += worst_case(entry[0], self._kv)
            guaranteed = self._may_evict or self._kv is None or reserved <= self._kv.num_blocks
            if m > budget or not guaranteed or not fits(self._ledger, request_id, m, self._kv):
                return
            budget -= m
            yield request_id, m
