"""The rules of the handout word for word, on two plain lists, with nothing remembered from tick to tick.

Right, and slow on purpose: what a careful first version looks like. `make bench` compares the solution with it.
"""

from collections.abc import Mapping

from batching_lab import KVAllocator, Request, RequestTooLong, Schedule, SchedulerConfig, Sequence


class WordForWord:
    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        self.config = config
        self.allocator = allocator
        self.queue: list[Sequence] = []
        self.running: list[Sequence] = []
        self.last = Schedule({})

    def blocks(self, num_tokens: int) -> int:
        assert self.allocator is not None
        return (num_tokens + self.allocator.block_size - 1) // self.allocator.block_size

    def worst_case(self, request: Request) -> int:
        return len(request.prompt_token_ids) + request.max_tokens - 1

    def add_request(self, request: Request) -> None:
        if any(sequence.request.request_id == request.request_id for sequence in self.queue + self.running):
            raise ValueError(f"{request.request_id} is here already")
        if self.allocator is not None and self.blocks(self.worst_case(request)) > self.allocator.num_blocks:
            raise RequestTooLong(f"{request.request_id} is too long for the pool")
        if self.exceeds_budget(request):
            raise RequestTooLong(f"{request.request_id} is too long for the token budget")
        self.queue.append(Sequence(request))

    def exceeds_budget(self, request: Request) -> bool:
        return False

    def abort(self, request_id: str) -> None:
        for sequence in self.queue:
            if sequence.request.request_id == request_id:
                self.queue.remove(sequence)
                return
        for sequence in self.running:
            if sequence.request.request_id == request_id:
                self.running.remove(sequence)
                if self.allocator is not None:
                    self.allocator.free(request_id)
                return

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        finished = []
        for sequence in list(self.running):  # in the order in which they were scheduled
            request_id = sequence.request.request_id
            if request_id not in self.last.num_scheduled_tokens:
                continue
            sequence.num_computed_tokens += self.last.num_scheduled_tokens[request_id]
            if request_id in sampled:
                sequence.output_token_ids.append(sampled[request_id])
            if sequence.is_finished:
                finished.append(request_id)
                self.abort(request_id)
        return finished

    def has_unfinished(self) -> bool:
        return len(self.queue) + len(self.running) > 0


class StaticScheduler(WordForWord):
    def schedule(self) -> Schedule:
        if not self.running:
            while self.queue and len(self.running) < self.config.max_num_seqs:
                batch = [*self.running, self.queue[0]]
                if self.allocator is not None:
                    needed = sum(self.blocks(self.worst_case(sequence.request)) for sequence in batch)
                    if needed > self.allocator.num_blocks:
                        break
                self.running = batch
                self.queue = self.queue[1:]
        scheduled = {}
        for sequence in self.running:
            num_tokens = sequence.num_tokens - sequence.num_computed_tokens
            if self.allocator is not None:
                self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)
            scheduled[sequence.request.request_id] = num_tokens
        self.last = Schedule(scheduled)
        return self.last


class ContinuousScheduler(WordForWord):
    def exceeds_budget(self, request: Request) -> bool:
        if self.config.enable_chunked_prefill or self.config.max_num_batched_tokens is None:
            return False
        longest = len(request.prompt_token_ids)
        if self.allocator is not None and self.config.kv_policy == "max_utilization":
            longest = self.worst_case(request)
        return longest > self.config.max_num_batched_tokens

    def schedule(self) -> Schedule:
        budget = self.config.max_num_batched_tokens
        if budget is None:
            budget = sum(sequence.num_tokens for sequence in self.queue[: self.config.max_num_seqs] + self.running)
        scheduled: dict[str, int] = {}
        preempted: list[str] = []

        position = 0
        while position < len(self.running) and budget > 0:
            sequence = self.running[position]
            request_id = sequence.request.request_id
            num_tokens = self.cut(sequence.num_tokens - sequence.num_computed_tokens, budget)
            evicted_itself = False
            while self.allocator is not None and not self.allocator.can_allocate(
                request_id, sequence.num_computed_tokens + num_tokens
            ):
                victim = self.running[-1]
                self.running = self.running[:-1]
                self.allocator.free(victim.request.request_id)
                victim.num_computed_tokens = 0
                self.queue = [victim, *self.queue]
                preempted.append(victim.request.request_id)
                if victim is sequence:
                    evicted_itself = True
                    break
            if evicted_itself:
                break
            if self.allocator is not None:
                self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens)
            scheduled[request_id] = num_tokens
            budget -= num_tokens
            position += 1

        while not preempted and self.queue and len(self.running) < self.config.max_num_seqs and budget > 0:
            sequence = self.queue[0]
            request_id = sequence.request.request_id
            num_tokens = self.cut(sequence.num_tokens - sequence.num_computed_tokens, budget)
            if num_tokens > budget:
                break
            if self.allocator is not None:
                if not self.allocator.can_allocate(request_id, num_tokens):
                    break
                if self.config.kv_policy == "guaranteed_no_evict":
                    everybody = [*self.running, sequence]
                    needed = sum(self.blocks(self.worst_case(other.request)) for other in everybody)
                    if needed > self.allocator.num_blocks:
                        break
                self.allocator.allocate(request_id, num_tokens)
            self.queue = self.queue[1:]
            self.running = [*self.running, sequence]
            scheduled[request_id] = num_tokens
            budget -= num_tokens

        self.last = Schedule(scheduled, tuple(preempted))
        return self.last

    def cut(self, num_tokens: int, budget: int) -> int:
        if self.config.enable_chunked_prefill:
            num_tokens = min(num_tokens, budget)
            if self.config.prefill_chunk_size is not None:
                num_tokens = min(num_tokens, self.config.prefill_chunk_size)
        return num_tokens
