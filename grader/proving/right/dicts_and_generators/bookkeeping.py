"""Shared bookkeeping, style "dicts and generators": a ledger of three plain dicts, and functions over it.

ledger = (entries, seats, due), all keyed by request id:

entries  id -> (request, c, g), everything unfinished in order of arrival
seats    id -> worst-case blocks, the running ones in order of admission
due      id -> m, what the current tick computes, in the order scheduled

Admission takes the first in the queue and a preemption returns the one admitted last to the queue's front. So the
running ones are always the first len(seats) entries, the queue is the rest, and neither move reorders anything.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from batching_lab import KVAllocator, Request

Entry = tuple[Request, int, int]
Ledger = tuple[dict[str, Entry], dict[str, int], dict[str, int]]
Event = tuple[str, int]  # (id, m): compute m >= 1 tokens of id in this tick; m = EVICT: preempt it

EVICT = 0


def new_ledger() -> Ledger:
    return {}, {}, {}


def worst_case(request: Request, allocator: KVAllocator | None) -> int:
    """blocks(P + max_tokens - 1), or 0 if nobody counts blocks."""
    if allocator is None:
        return 0
    return -(-(len(request.prompt_token_ids) + request.max_tokens - 1) // allocator.block_size)


def uncomputed(entry: Entry) -> int:
    """P + g - c."""
    request, computed, generated = entry
    return len(request.prompt_token_ids) + generated - computed


def refuse_duplicate(ledger: Ledger, request_id: str) -> None:
    if request_id in ledger[0]:
        raise ValueError(f"request {request_id} is already in the scheduler")


def queue(ledger: Ledger) -> Iterator[tuple[str, Entry]]:
    """The waiting ones, first come first. The consumer may seat each one that it is given, in turn."""
    entries, seats, _ = ledger
    yield from islice(entries.items(), len(seats), None)


def fits(ledger: Ledger, request_id: str, m: int, allocator: KVAllocator | None) -> bool:
    """Are there blocks for m more tokens of this sequence?"""
    return allocator is None or allocator.can_allocate(request_id, ledger[0][request_id][1] + m)


def enact(ledger: Ledger, events: Iterable[Event], allocator: KVAllocator | None) -> Iterator[Event]:
    """Carry out each event before the next one is decided, and pass it on."""
    entries, seats, due = ledger
    due.clear()
    for request_id, m in events:
        request, computed, generated = entries[request_id]
        if m == EVICT:
            del seats[request_id]
            entries[request_id] = (request, 0, generated)
            if allocator is not None:
                allocator.free(request_id)
        else:
            if allocator is not None:
                allocator.allocate(request_id, computed + m)
            seats.setdefault(request_id, worst_case(request, allocator))
            due[request_id] = m
        yield request_id, m


def leave(ledger: Ledger, request_id: str, allocator: KVAllocator | None) -> None:
    """Forget a sequence, waiting or running or unknown, and give back what it holds."""
    entries, seats, due = ledger
    entries.pop(request_id, None)
    due.pop(request_id, None)
    if seats.pop(request_id, None) is not None and allocator is not None:
        allocator.free(request_id)


def settle(ledger: Ledger, sampled: Mapping[str, int], allocator: KVAllocator | None) -> Iterator[str]:
    """Book what the tick computed and sampled; yields the ids that finished, in schedule order."""
    entries, _, due = ledger
    for request_id, m in tuple(due.items()):
        request, computed, generated = entries[request_id]
        ended = False
        if request_id in sampled:
            generated += 1
            ended = generated >= request.max_tokens or sampled[request_id] == request.eos_token_id
        entries[request_id] = (request, computed + m, generated)
        if ended:
            leave(ledger, request_id, allocator)
            yield request_id
    due.clear()
