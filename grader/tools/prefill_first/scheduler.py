"""An engine that never mixes prefill and decode in one tick, for a comparison in the handout.

If anybody waits and a slot is free, the tick computes prompts only, and everybody who is generating stands still. It
knows slots and nothing else: no budgets, no KV blocks. It is continuous batching all the same: a finished sequence's
slot is given away at the next boundary.
"""

from collections import deque
from collections.abc import Mapping

from batching_lab import KVAllocator, Request, Schedule, SchedulerConfig, Sequence


class ContinuousScheduler:
    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        self.config = config
        self.waiting: deque[Sequence] = deque()
        self.running: list[Sequence] = []
        self.scheduled: dict[str, int] = {}

    def add_request(self, request: Request) -> None:
        self.waiting.append(Sequence(request))

    def abort(self, request_id: str) -> None:
        self.waiting = deque(s for s in self.waiting if s.request.request_id != request_id)
        self.running = [s for s in self.running if s.request.request_id != request_id]

    def schedule(self) -> Schedule:
        batch = []
        while self.waiting and len(self.running) < self.config.max_num_seqs:
            batch.append(self.waiting.popleft())
            self.running.append(batch[-1])
        if not batch:  # nobody to prefill: a decode tick
            batch = self.running
        self.scheduled = {sequence.request.request_id: sequence.num_uncomputed_tokens for sequence in batch}
        return Schedule(self.scheduled)

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        for sequence in self.running:
            request_id = sequence.request.request_id
            if request_id in self.scheduled:
                sequence.num_computed_tokens += self.scheduled[request_id]
                sequence.output_token_ids.append(sampled[request_id])
        finished = [s.request.request_id for s in self.running if s.is_finished]
        self.running = [s for s in self.running if not s.is_finished]
        return finished

    def has_unfinished(self) -> bool:
        return bool(self.waiting or self.running)
