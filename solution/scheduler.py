"""Parts 1, 3, 4 and 5: static and continuous batching.

In each tick the serving loop calls

    add_request(...), abort(...)    what has happened since the last tick
    schedule()                      your decision: who computes how many tokens
    update(sampled)                 what came out of it

A sequence knows P + g tokens (its prompt and what it has generated) and has computed c of them. When
all that it knows is computed, the model samples one token more. `batching_lab.Sequence` keeps these
numbers. blocks(n) = ceil(n / block_size) is the number of KV blocks that n tokens fill.
"""

# BEGIN SOLUTION
import sys
from collections import OrderedDict

# END SOLUTION
from collections.abc import Mapping

from batching_lab import KVAllocator, OutOfBlocks, Request, RequestTooLong, Schedule, SchedulerConfig, Sequence


class SchedulerBase:
    """What both schedulers share: the queue, the running sequences, and what happens after a tick."""

    def __init__(self, config: SchedulerConfig, allocator: KVAllocator | None = None) -> None:
        """A scheduler with nothing to do. Without an allocator, KV blocks are no limit.

        Hint: you need the queue and the running sequences in order of admission. The queue must give up
        its first, take an evicted sequence back at the front and lose an aborted one anywhere, all
        without a walk through 100,000 waiting requests.
        """
        self.config = config
        self.allocator = allocator
        # BEGIN SOLUTION
        self.waiting: OrderedDict[str, Sequence] = OrderedDict()
        self.running: dict[str, Sequence] = {}  # in order of admission
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
        # END SOLUTION

    def add_request(self, request: Request) -> None:
        """Put a new request at the end of the queue, or refuse it and change nothing.

        Part 1: an id that is waiting or running is refused with `ValueError`. After it has finished or
        was aborted, the id may come again.

        Part 3: after that, a request that might never finish is refused with `RequestTooLong`.
        Both schedulers, with an allocator: when blocks(P + max_tokens - 1) > num_blocks. (The last token
        sampled is never computed, so it needs no room.) `ContinuousScheduler` without chunked prefill
        and with a token budget: when its longest prefill, P, exceeds max_num_batched_tokens.
        Exactly at a limit is accepted.

        Part 5: where a preemption is possible (an allocator with `max_utilization`) a sequence may have
        to compute its outputs again too, and its longest prefill is P + max_tokens - 1.
        """
        # BEGIN SOLUTION
        if request.request_id in self.waiting or request.request_id in self.running:
            raise ValueError(f"request {request.request_id} is in the scheduler already")
        self.refuse_too_long(request)
        self.waiting[request.request_id] = Sequence(request)
        # END SOLUTION

    def abort(self, request_id: str) -> None:
        """Drop a waiting or running sequence and give its blocks back at once.

        An unknown or finished id is no error: a client may hang up late.
        """
        # BEGIN SOLUTION
        if request_id in self.running:
            self.stop(request_id)
        else:
            self.waiting.pop(request_id, None)
        # END SOLUTION

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        """Account for the tick that was executed; return the ids that finished in it, in schedule order.

        sampled  request id -> its new token, for exactly those scheduled sequences whose known tokens
                 are now all computed

        `schedule` was called just before: remember what it decided. Every scheduled sequence has computed
        its m tokens; a sampled token is one more that it knows. A finished sequence (`Sequence.is_finished`)
        leaves at once: its slot and its blocks serve the next tick.
        """
        # BEGIN SOLUTION
        finished = []
        for request_id, num_tokens in self.scheduled.items():
            sequence = self.running[request_id]
            sequence.num_computed_tokens += num_tokens
            if request_id in sampled:
                sequence.output_token_ids.append(sampled[request_id])
                if sequence.is_finished:
                    self.stop(request_id)
                    finished.append(request_id)
        return finished
        # END SOLUTION

    def has_unfinished(self) -> bool:
        """Is any sequence waiting or running?"""
        # BEGIN SOLUTION
        return bool(self.waiting or self.running)

    def refuse_too_long(self, request: Request) -> None:
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
            raise RequestTooLong(
                f"request {request.request_id} may need {self.worst_case_blocks(request)} KV blocks, "
                f"but the pool has {self.allocator.num_blocks}"
            )

    def worst_case_blocks(self, request: Request) -> int:
        """Blocks that the request holds in the end if it generates all of `max_tokens`."""
        assert self.allocator is not None
        return -(-max_computed_tokens(request) // self.allocator.block_size)

    def worst_case_fits(self, request: Request) -> bool:
        """Does the pool hold the worst cases of all running sequences and of this request together?"""
        if self.allocator is None:
            return True
        return self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks

    def start(self, sequence: Sequence) -> None:
        """Move a sequence from the queue to the running ones."""
        self.running[sequence.request.request_id] = self.waiting.pop(sequence.request.request_id)
        if self.allocator is not None:
            self.reserved_blocks += self.worst_case_blocks(sequence.request)

    def stop(self, request_id: str) -> Sequence:
        """Take a running sequence out and give its blocks back."""
        sequence = self.running.pop(request_id)
        if self.allocator is not None:
            self.reserved_blocks -= self.worst_case_blocks(sequence.request)
            self.allocator.free(request_id)
        return sequence

    def compute(self, sequence: Sequence, num_tokens: int) -> None:
        """Schedule `num_tokens` of a running sequence and take the blocks that they need."""
        request_id = sequence.request.request_id
        if self.allocator is not None:
            self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens)
        self.scheduled[request_id] = num_tokens
        # END SOLUTION


class StaticScheduler(SchedulerBase):
    """Static batching: a batch starts together, and the next one waits until all of it is done."""

    def schedule(self) -> Schedule:
        """Decide one tick.

        Part 1: when nothing is running, a batch is formed from the front of the queue, up to
        `max_num_seqs` sequences. Every running sequence computes all that it knows and has not computed:
        its whole prompt in the batch's first tick, then one token a tick. The slot of a finished or
        aborted sequence stays empty until the whole batch is done. There is no token budget, no
        chunking, no preemption, whatever the configuration says. Nothing to do: `Schedule({})`.

        Part 3: with an allocator, the batch ends before the first sequence with which the sum of
        blocks(P + max_tokens - 1) over the batch would exceed num_blocks. The blocks themselves are
        taken only as they are needed: a sequence scheduled for m tokens then holds exactly blocks(c + m).
        """
        # BEGIN SOLUTION
        if not self.running:
            self.form_batch()
        self.scheduled = {}
        for sequence in self.running.values():
            self.compute(sequence, sequence.num_uncomputed_tokens)
        return Schedule(self.scheduled)

    def form_batch(self) -> None:
        while self.waiting and len(self.running) < self.config.max_num_seqs:
            sequence = next(iter(self.waiting.values()))
            if not self.worst_case_fits(sequence.request):
                break
            self.start(sequence)
        # END SOLUTION


class ContinuousScheduler(SchedulerBase):
    """Continuous batching: who runs is decided anew at every boundary (iteration-level scheduling)."""

    def schedule(self) -> Schedule:
        """Decide one tick: first the running sequences, in the order in which they were admitted, then
        admission from the front of the queue.

        Part 1: every running sequence computes one token; then the queue fills the free slots. A
        sequence just admitted computes its whole prompt.

        Part 3: all of them share a budget of max_num_batched_tokens (None: no limit). The first of the
        queue waits until its whole prompt fits into what is left of the budget, and everybody behind it
        waits too: nobody overtakes. With an allocator, a sequence scheduled for m tokens then holds
        exactly blocks(c + m). Under `guaranteed_no_evict` a sequence is admitted only if the sum of
        blocks(P + max_tokens - 1) over the running sequences and it is at most num_blocks.

        Part 4: with `enable_chunked_prefill` a sequence, running or new, computes as much of what it has
        as the budget allows, and at most `prefill_chunk_size` if that is set.

        Part 5: under `max_utilization` a sequence is admitted when blocks(m) are free; if they are not, no
        smaller chunk is tried. While a running
        sequence lacks blocks to grow, the running sequence admitted last is preempted: all its blocks
        are freed, c = 0, it keeps its generated tokens and goes to the front of the queue. If that is
        the sequence itself, the running ones are done for this tick. A boundary that preempted
        somebody admits nobody. `Schedule(num_scheduled_tokens, preempted)` names the victims in a tuple.

        Hint: one method for the running sequences, one for admission; a step's remaining budget passes
        from the first to the second.
        """
        # BEGIN SOLUTION
        self.scheduled = {}
        preempted: list[str] = []
        budget = self.schedule_running(self.config.max_num_batched_tokens or sys.maxsize, preempted)
        if not preempted:
            self.admit(budget)
        return Schedule(self.scheduled, tuple(preempted))

    def schedule_running(self, budget: int, preempted: list[str]) -> int:
        """Schedule the running sequences, note whom they preempt, return what is left of the budget."""
        is_chunked, chunk_size = self.config.enable_chunked_prefill, self.chunk_size()
        block_size = self.allocator.block_size if self.allocator is not None else sys.maxsize
        for sequence in list(self.running.values()):
            request_id = sequence.request.request_id
            if budget == 0 or (preempted and request_id not in self.running):
                break  # victims leave from the end: behind an evicted one there is nobody left
            num_tokens = sequence.num_uncomputed_tokens if is_chunked else 1  # without chunks whoever runs decodes
            if num_tokens > 1:  # a decode needs no cutting
                num_tokens = min(num_tokens, budget, chunk_size)
            room_in_last_block = -sequence.num_computed_tokens % block_size
            if num_tokens > room_in_last_block and not self.grow(sequence, num_tokens, preempted):
                break
            self.scheduled[request_id] = num_tokens
            budget -= num_tokens
        return budget

    def grow(self, sequence: Sequence, num_tokens: int, preempted: list[str]) -> bool:
        """Take the blocks for `num_tokens` more, preempting from the end; False if it had to go itself."""
        assert self.allocator is not None
        while True:
            try:
                self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)
                return True
            except OutOfBlocks:
                victim = self.preempt()
                preempted.append(victim.request.request_id)
                if victim is sequence:
                    return False

    def preempt(self) -> Sequence:
        """Move the sequence admitted last back to the front of the queue."""
        request_id = next(reversed(self.running))
        victim = self.waiting[request_id] = self.stop(request_id)
        self.waiting.move_to_end(request_id, last=False)
        victim.num_computed_tokens = 0
        return victim

    def admit(self, budget: int) -> None:
        chunk_size = self.chunk_size()
        while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:
            sequence = next(iter(self.waiting.values()))
            num_tokens = min(sequence.num_uncomputed_tokens, chunk_size)
            if self.config.enable_chunked_prefill:
                num_tokens = min(num_tokens, budget)
            if num_tokens > budget or not self.can_admit(sequence.request, num_tokens):
                break
            self.start(sequence)
            self.compute(sequence, num_tokens)
            budget -= num_tokens

    def can_admit(self, request: Request, num_tokens: int) -> bool:
        if self.config.kv_policy == "guaranteed_no_evict":
            return self.worst_case_fits(request)
        return self.allocator is None or self.allocator.can_allocate(request.request_id, num_tokens)

    def chunk_size(self) -> int:
        """The most tokens of one sequence in one tick."""
        return (self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize

    def refuse_too_long(self, request: Request) -> None:
        super().refuse_too_long(request)
        may_be_preempted = self.allocator is not None and self.config.kv_policy == "max_utilization"
        longest_prefill = max_computed_tokens(request) if may_be_preempted else len(request.prompt_token_ids)
        budget = self.config.max_num_batched_tokens
        if budget is not None and not self.config.enable_chunked_prefill and longest_prefill > budget:
            raise RequestTooLong(
                f"request {request.request_id} may have to compute {longest_prefill} tokens in one tick, "
                f"but max_num_batched_tokens is {budget}"
            )


def max_computed_tokens(request: Request) -> int:
    """P + max_tokens - 1: the last token sampled is never computed."""
    return len(request.prompt_token_ids) + request.max_tokens - 1
    # END SOLUTION
