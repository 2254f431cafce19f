"""Decisions are functions from a state to a new state; the allocator is told afterwards what was decided."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from batching_lab import KVAllocator, Request, RequestTooLong, Schedule, SchedulerConfig


class Seq(NamedTuple):
    request: Request
    computed: int = 0
    generated: int = 0
    finished: bool = False

    @property
    def name(self) -> str:
        return self.request.request_id

    @property
    def todo(self) -> int:
        return len(self.request.prompt_token_ids) + self.generated - self.computed

    @property
    def most(self) -> int:
        return len(self.request.prompt_token_ids) + self.request.max_tokens - 1


class State(NamedTuple):
    running: tuple[Seq, ...] = ()
    waiting: tuple[Seq, ...] = ()


class Step(NamedTuple):
    """A decision on its way: the state, what is scheduled and evicted so far, tokens and blocks left (None: any)."""

    state: State
    scheduled: tuple[tuple[str, int], ...]
    evicted: tuple[str, ...]
    tokens: int | None
    blocks: int | None


class Pool(NamedTuple):
    """The two sizes of an allocator; None and 1 if there is none."""

    num_blocks: int | None
    block_size: int

    def cover(self, num_tokens: int) -> int:
        return (num_tokens + self.block_size - 1) // self.block_size

    def reserve(self, sequences: tuple[Seq, ...]) -> int:
        return sum(self.cover(seq.most) for seq in sequences)


Decide = Callable[[SchedulerConfig, Pool, Step], Step]


def least(*limits: int | None) -> int:
    return min(limit for limit in limits if limit is not None)


def spend(left: int | None, spent: int) -> int | None:
    return None if left is None else left - spent


def lacks(left: int | None, wanted: int) -> bool:
    return left is not None and left < wanted


def with_scheduled(step: Step, pool: Pool, seq: Seq, m: int) -> Step:
    more = pool.cover(seq.computed + m) - pool.cover(seq.computed)
    return step._replace(
        scheduled=(*step.scheduled, (seq.name, m)),
        tokens=spend(step.tokens, m),
        blocks=spend(step.blocks, more),
    )


def evict_last(step: Step, pool: Pool) -> Step:
    *others, victim = step.state.running
    return step._replace(
        state=State(tuple(others), (victim._replace(computed=0), *step.state.waiting)),
        evicted=(*step.evicted, victim.name),
        blocks=spend(step.blocks, -pool.cover(victim.computed)),
    )


def chunk_of(config: SchedulerConfig) -> int | None:
    return config.prefill_chunk_size if config.enable_chunked_prefill else None


def grow(config: SchedulerConfig, pool: Pool, step: Step, position: int = 0) -> Step:
    if position >= len(step.state.running) or step.tokens == 0:
        return step
    seq = step.state.running[position]
    m = least(seq.todo, step.tokens, chunk_of(config))
    if lacks(step.blocks, pool.cover(seq.computed + m) - pool.cover(seq.computed)):
        return grow(config, pool, evict_last(step, pool), position)
    return grow(config, pool, with_scheduled(step, pool, seq, m), position + 1)


def admit(config: SchedulerConfig, pool: Pool, step: Step) -> Step:
    running, waiting = step.state
    if step.tokens == 0 or not waiting or len(running) >= config.max_num_seqs:
        return step
    first = waiting[0]
    m = least(first.todo, step.tokens, chunk_of(config)) if config.enable_chunked_prefill else first.todo
    if lacks(step.tokens, m) or lacks(step.blocks, pool.cover(m)):
        return step
    admitted = (*running, first)
    if config.kv_policy == "guaranteed_no_evict" and lacks(pool.num_blocks, pool.reserve(admitted)):
        return step
    return admit(config, pool, with_scheduled(step._replace(state=State(admitted, waiting[1:])), pool, first, m))


def continuous(config: SchedulerConfig, pool: Pool, step: Step) -> Step:
    grown = grow(config, pool, step)
    return grown if grown.evicted else admit(config, pool, grown)


def first_batch(config: SchedulerConfig, pool: Pool, waiting: tuple[Seq, ...]) -> tuple[Seq, ...]:
    sizes = range(min(config.max_num_seqs, len(waiting)), 0, -1)
    return next((waiting[:size] for size in sizes if not lacks(pool.num_blocks, pool.reserve(waiting[:size]))), ())


def static(config: SchedulerConfig, pool: Pool, step: Step) -> Step:
    running, waiting = step.state
    batch = running or first_batch(config, pool, waiting)
    state = State(batch, waiting if running else waiting[len(batch) :])
    return step._replace(state=state, scheduled=tuple((seq.name, seq.todo) for seq in batch))


def after(seq: Seq, m: int, token: int | None) -> Seq:
    if token is None:
        return seq._replace(computed=seq.computed + m)
    generated = seq.generated + 1
    is_last = token == seq.request.eos_token_id or generated == seq.request.max_tokens
    return seq._replace(computed=seq.computed + m, generated=generated, finished=is_last)


def longest_prefill(config: SchedulerConfig, pool: Pool, seq: Seq) -> int:
    return seq.todo if pool.num_blocks is None or config.kv_policy == "guaranteed_no_evict" else seq.most


class Shell:
    """All that changes: one state, the last decision, and the allocator."""

    def __init__(
        self, config: SchedulerConfig, allocator: KVAllocator | None, decide: Decide, has_budget: bool
    ) -> None:
        self.allocator = allocator
        self.pool = Pool(None, 1) if allocator is None else Pool(allocator.num_blocks, allocator.block_size)
        self.has_budget = has_budget and not config.enable_chunked_prefill
        self.config = config
        self.decide = partial(decide, config, self.pool)
        self.state = State()
        self.scheduled: dict[str, int] = {}

    def add_request(self, request: Request) -> None:
        new = Seq(request)
        if new.name in {seq.name for seq in self.state.running + self.state.waiting}:
            raise ValueError(f"the id {new.name} is in use")
        too_big = lacks(self.pool.num_blocks, self.pool.cover(new.most))
        budget = self.config.max_num_batched_tokens if self.has_budget else None
        if too_big or lacks(budget, longest_prefill(self.config, self.pool, new)):
            raise RequestTooLong(f"{new.name} may never finish")
        self.state = self.state._replace(waiting=(*self.state.waiting, new))

    def abort(self, request_id: str) -> None:
        kept = State(*(tuple(seq for seq in line if seq.name != request_id) for line in self.state))
        if self.allocator is not None and len(kept.running) < len(self.state.running):
            self.allocator.free(request_id)
        self.state = kept

    def schedule(self) -> Schedule:
        free = None if self.allocator is None else self.allocator.num_free_blocks
        step = self.decide(Step(self.state, (), (), self.config.max_num_batched_tokens, free))
        computed = {seq.name: seq.computed for seq in step.state.running}
        if self.allocator is not None:
            for name in step.evicted:
                self.allocator.free(name)
            for name, m in step.scheduled:
                self.allocator.allocate(name, computed[name] + m)
        self.state, self.scheduled = step.state, dict(step.scheduled)
        return Schedule(dict(step.scheduled), step.evicted)

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        moved = tuple(after(seq, self.scheduled.get(seq.name, 0), sampled.get(seq.name)) for seq in self.state.running)
        ended = [seq.name for seq in moved if seq.finished]
        if self.allocator is not None:
            for name in ended:
                self.allocator.free(name)
        self.state = self.state._replace(running=tuple(seq for seq in moved if not seq.finished))
        return ended

    def has_unfinished(self) -> bool:
        return self.state != State()


class StaticScheduler(Shell):
    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        super().__init__(config, allocator, static, has_budget=False)


class ContinuousScheduler(Shell):
    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        super().__init__(config, allocator, continuous, has_budget=True)
