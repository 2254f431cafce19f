"""One list of all sequences in order of arrival; which of them run is a field of each.

An evicted sequence needs no way back to the front of a queue: it never left its place.
"""

from collections.abc import Iterator, Mapping
from enum import Enum, auto

from batching_lab import KVAllocator, Request, RequestTooLong, Schedule, SchedulerConfig, Sequence


class State(Enum):
    WAITING = auto()
    RUNNING = auto()
    GONE = auto()


class Tracked(Sequence):
    state = State.WAITING
    num_scheduled = 0

    @property
    def name(self) -> str:
        return self.request.request_id

    @property
    def most_tokens(self) -> int:
        return len(self.request.prompt_token_ids) + self.request.max_tokens - 1


class ContinuousScheduler:
    never_splits_prompts = False

    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        self.config = config
        self.allocator = allocator
        self.everybody: list[Tracked] = []

    def find(self, state: State) -> list[Tracked]:
        return [sequence for sequence in self.everybody if sequence.state is state]

    def blocks(self, num_tokens: int) -> int:
        assert self.allocator is not None
        return -(-num_tokens // self.allocator.block_size)

    def longest_prefill(self, sequence: Tracked) -> int:
        evicts = self.allocator is not None and self.config.kv_policy == "max_utilization"
        return sequence.most_tokens if evicts else sequence.num_tokens

    def refusal(self, new: Tracked) -> str:
        if self.allocator is not None and self.blocks(new.most_tokens) > self.allocator.num_blocks:
            return "the pool is too small"
        budget = self.config.max_num_batched_tokens
        if budget is None or self.config.enable_chunked_prefill or self.never_splits_prompts:
            return ""
        return "the budget is too small" if self.longest_prefill(new) > budget else ""

    def add_request(self, request: Request) -> None:
        new = Tracked(request)
        for sequence in self.everybody:
            if sequence.name == new.name:
                raise ValueError(f"{new.name} is {sequence.state.name.lower()} already")
        if why := self.refusal(new):
            raise RequestTooLong(f"{new.name}: {why}")
        self.everybody.append(new)

    def let_go(self, sequence: Tracked, state: State) -> None:
        if sequence.state is State.RUNNING and self.allocator is not None:
            self.allocator.free(sequence.name)
        sequence.state = state
        sequence.num_computed_tokens = sequence.num_scheduled = 0
        self.everybody = [sequence for sequence in self.everybody if sequence.state is not State.GONE]

    def abort(self, request_id: str) -> None:
        for sequence in self.everybody:
            if sequence.name == request_id:
                return self.let_go(sequence, State.GONE)

    def run(self, sequence: Tracked, num_tokens: int) -> None:
        if self.allocator is not None:
            self.allocator.allocate(sequence.name, sequence.num_computed_tokens + num_tokens)
        sequence.state = State.RUNNING
        sequence.num_scheduled = num_tokens

    def step(self, sequence: Tracked, budget: int | None) -> int:
        """The most tokens that it may compute now."""
        cuts = [sequence.num_uncomputed_tokens]
        if budget is not None:
            cuts.append(budget)
        if self.config.enable_chunked_prefill and self.config.prefill_chunk_size is not None:
            cuts.append(self.config.prefill_chunk_size)
        return min(cuts)

    def has_room(self, sequence: Tracked, num_tokens: int) -> bool:
        if self.allocator is None:
            return True
        return self.allocator.can_allocate(sequence.name, sequence.num_computed_tokens + num_tokens)

    def promises_kept(self, candidate: Tracked) -> bool:
        if self.allocator is None or self.config.kv_policy == "max_utilization":
            return True
        promised = sum(self.blocks(sequence.most_tokens) for sequence in self.find(State.RUNNING))
        return promised + self.blocks(candidate.most_tokens) <= self.allocator.num_blocks

    def grow(self, budget: int | None) -> Iterator[str | Tracked]:
        """Yields the sequences that go on, and the ids of those evicted for them."""
        for sequence in self.find(State.RUNNING):
            if sequence.state is State.WAITING or budget == 0:
                return
            num_tokens = self.step(sequence, budget)
            while not self.has_room(sequence, num_tokens):
                victim = self.find(State.RUNNING)[-1]
                self.let_go(victim, State.WAITING)
                yield victim.name
                if victim is sequence:
                    return
            self.run(sequence, num_tokens)
            if budget is not None:
                budget -= num_tokens
            yield sequence

    def admit(self, budget: int | None) -> Iterator[Tracked]:
        free_slots = self.config.max_num_seqs - len(self.find(State.RUNNING))
        for sequence in self.find(State.WAITING)[:free_slots]:
            if budget == 0:
                return
            num_tokens = self.step(sequence, budget)
            if num_tokens < sequence.num_uncomputed_tokens and not self.config.enable_chunked_prefill:
                return
            if not self.has_room(sequence, num_tokens) or not self.promises_kept(sequence):
                return
            self.run(sequence, num_tokens)
            if budget is not None:
                budget -= num_tokens
            yield sequence

    def schedule(self) -> Schedule:
        budget = self.config.max_num_batched_tokens
        grown = list(self.grow(budget))
        chosen = [item for item in grown if isinstance(item, Tracked)]
        evicted = tuple(item for item in grown if isinstance(item, str))
        if not evicted:
            used = sum(sequence.num_scheduled for sequence in chosen)
            chosen.extend(self.admit(None if budget is None else budget - used))
        return Schedule({sequence.name: sequence.num_scheduled for sequence in chosen}, evicted)

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        for sequence in self.everybody:
            sequence.num_computed_tokens += sequence.num_scheduled
            sequence.num_scheduled = 0
            sequence.output_token_ids += [sampled[sequence.name]] if sequence.name in sampled else []
        ended = [sequence for sequence in self.find(State.RUNNING) if sequence.is_finished]
        for sequence in ended:
            self.let_go(sequence, State.GONE)
        return [sequence.name for sequence in ended]

    def has_unfinished(self) -> bool:
        return self.everybody != []


class StaticScheduler(ContinuousScheduler):
    never_splits_prompts = True

    def schedule(self) -> Schedule:
        batch = self.find(State.RUNNING)
        promised = 0
        if not batch:
            for sequence in self.everybody[: self.config.max_num_seqs]:
                if self.allocator is not None:
                    promised += self.blocks(sequence.most_tokens)
                    if promised > self.allocator.num_blocks:
                        break
                batch.append(sequence)
        for sequence in batch:
            self.run(sequence, sequence.num_uncomputed_tokens)
        return Schedule({sequence.name: sequence.num_scheduled for sequence in batch})
