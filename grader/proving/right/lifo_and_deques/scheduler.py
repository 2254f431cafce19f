"""No classes but the two that are asked for: a sequence is a list, queue and running sequences are deques."""

from collections import deque
from collections.abc import Iterable, Mapping
from sys import maxsize
from typing import Any

from batching_lab import KVAllocator, Request, RequestTooLong, Schedule, SchedulerConfig

NAME, PROMPT, MOST, EOS, COMPUTED, GENERATED, PLANNED = range(7)
Entry = list[Any]  # one field for each of the names above


def entry_of(request: Request) -> Entry:
    return [request.request_id, len(request.prompt_token_ids), request.max_tokens, request.eos_token_id, 0, 0, 0]


def left(entry: Entry) -> int:
    number: int = entry[PROMPT] + entry[GENERATED] - entry[COMPUTED]
    return number


def worst_case(entry: Entry, pool: KVAllocator) -> int:
    """The blocks that it may come to hold."""
    number: int = (entry[PROMPT] + entry[MOST] - 2) // pool.block_size + 1
    return number


def take_out(request_id: str, *lines: deque[Entry]) -> Entry | None:
    for line in lines:
        for position, entry in enumerate(line):
            if entry[NAME] == request_id:
                del line[position]
                return entry
    return None


def plan(entry: Entry, num_tokens: int, pool: KVAllocator | None) -> int:
    if pool is not None:
        pool.allocate(entry[NAME], entry[COMPUTED] + num_tokens)
    entry[PLANNED] = num_tokens
    return num_tokens


def advance(entries: Iterable[Entry], sampled: Mapping[str, int]) -> list[Entry]:
    """After a tick: moves everybody on and returns those at their end."""
    ended = []
    for entry in entries:
        entry[COMPUTED] += entry[PLANNED]
        entry[PLANNED] = 0
        if entry[NAME] in sampled:
            entry[GENERATED] += 1
            if entry[GENERATED] == entry[MOST] or sampled[entry[NAME]] == entry[EOS]:
                ended.append(entry)
    return ended


class StaticScheduler:
    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        self.slots, self.pool = config.max_num_seqs, allocator
        self.queue: deque[Entry] = deque()
        self.batch: deque[Entry] = deque()

    def add_request(self, request: Request) -> None:
        entry = entry_of(request)
        if any(entry[NAME] == other[NAME] for line in (self.queue, self.batch) for other in line):
            raise ValueError(f"there is a {entry[NAME]} already")
        if self.pool is not None and worst_case(entry, self.pool) > self.pool.num_blocks:
            raise RequestTooLong(entry[NAME])
        self.queue.append(entry)

    def abort(self, request_id: str) -> None:
        gone = take_out(request_id, self.batch, self.queue)
        if gone and gone[COMPUTED] and self.pool is not None:
            self.pool.free(request_id)

    def schedule(self) -> Schedule:
        if not self.batch:
            room = None if self.pool is None else self.pool.num_blocks
            while self.queue and len(self.batch) < self.slots:
                if room is not None and self.pool is not None:
                    room -= worst_case(self.queue[0], self.pool)
                    if room < 0:
                        break
                self.batch.append(self.queue.popleft())
        return Schedule({entry[NAME]: plan(entry, left(entry), self.pool) for entry in self.batch})

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        ended = advance(self.batch, sampled)
        for entry in ended:
            self.batch.remove(entry)
            if self.pool is not None:
                self.pool.free(entry[NAME])
        return [entry[NAME] for entry in ended]

    def has_unfinished(self) -> bool:
        return True if self.queue else True if self.batch else False  # noqa: SIM210


class ContinuousScheduler:
    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        self.limits, self.pool = config, allocator
        self.queue: deque[Entry] = deque()
        self.seats: deque[Entry] = deque()
        self.reserves = config.kv_policy == "guaranteed_no_evict"

    def add_request(self, request: Request) -> None:
        entry = entry_of(request)
        name = entry[NAME]
        if name in [other[NAME] for other in (*self.seats, *self.queue)]:
            raise ValueError(f"{name} is being served")
        if self.pool is not None and worst_case(entry, self.pool) > self.pool.num_blocks:
            raise RequestTooLong(f"{name} needs more blocks than there are")
        longest = entry[PROMPT] if self.pool is None or self.reserves else entry[PROMPT] + entry[MOST] - 1
        budget = self.limits.max_num_batched_tokens
        if budget is not None and longest > budget and not self.limits.enable_chunked_prefill:
            raise RequestTooLong(f"{name} may need a prefill that is longer than any tick")
        self.queue.append(entry)

    def abort(self, request_id: str) -> None:
        if take_out(request_id, self.queue) is None and take_out(request_id, self.seats) and self.pool is not None:
            self.pool.free(request_id)

    def schedule(self) -> Schedule:
        pool, limits = self.pool, self.limits
        budget = limits.max_num_batched_tokens or maxsize
        piece = (limits.enable_chunked_prefill and limits.prefill_chunk_size) or maxsize
        scheduled: dict[str, int] = {}
        evicted: list[str] = []

        done = 0
        while done < len(self.seats) and budget > 0:
            entry = self.seats[done]
            num_tokens = min(left(entry), budget, piece)
            while pool is not None and entry and not pool.can_allocate(entry[NAME], entry[COMPUTED] + num_tokens):
                victim = self.seats.pop()
                pool.free(victim[NAME])
                victim[COMPUTED] = 0
                self.queue.appendleft(victim)
                evicted.append(victim[NAME])
                if victim is entry:
                    entry = []
            if not entry:
                break
            budget -= plan(entry, num_tokens, pool)
            scheduled[entry[NAME]] = num_tokens
            done += 1

        while not evicted and self.queue and budget > 0 and len(self.seats) < limits.max_num_seqs:
            first = self.queue[0]
            num_tokens = left(first)
            if limits.enable_chunked_prefill:
                num_tokens = min(num_tokens, budget, piece)
            if num_tokens > budget or (pool is not None and not self.fits(first, num_tokens, pool)):
                break
            self.seats.append(self.queue.popleft())
            budget -= plan(first, num_tokens, pool)
            scheduled[first[NAME]] = num_tokens
        return Schedule(scheduled, preempted=tuple(evicted))

    def fits(self, first: Entry, num_tokens: int, pool: KVAllocator) -> bool:
        if self.reserves and sum(worst_case(entry, pool) for entry in (*self.seats, first)) > pool.num_blocks:
            return False
        return pool.can_allocate(first[NAME], num_tokens)

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        names = []
        for entry in advance(self.seats, sampled):
            names.append(entry[NAME])
            take_out(names[-1], self.seats)
            if self.pool is not None:
                self.pool.free(names[-1])
        return names

    def has_unfinished(self) -> bool:
        return len(self.queue) + len(self.seats) != 0
