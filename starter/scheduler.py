"""Parts 1, 3, 4 and 5: static and continuous batching.

In each tick the serving loop calls

    add_request(...), abort(...)    what has happened since the last tick
    schedule()                      your decision: who computes how many tokens
    update(sampled)                 what came out of it

A sequence knows P + g tokens (its prompt and what it has generated) and has computed c of them. When
all that it knows is computed, the model samples one token more. `batching_lab.Sequence` keeps these
numbers. blocks(n) = ceil(n / block_size) is the number of KV blocks that n tokens fill.
"""

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
        raise NotImplementedError

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
        raise NotImplementedError

    def abort(self, request_id: str) -> None:
        """Drop a waiting or running sequence and give its blocks back at once.

        An unknown or finished id is no error: a client may hang up late.
        """
        raise NotImplementedError

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        """Account for the tick that was executed; return the ids that finished in it, in schedule order.

        sampled  request id -> its new token, for exactly those scheduled sequences whose known tokens
                 are now all computed

        `schedule` was called just before: remember what it decided. Every scheduled sequence has computed
        its m tokens; a sampled token is one more that it knows. A finished sequence (`Sequence.is_finished`)
        leaves at once: its slot and its blocks serve the next tick.
        """
        raise NotImplementedError

    def has_unfinished(self) -> bool:
        """Is any sequence waiting or running?"""
        raise NotImplementedError


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
        raise NotImplementedError


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
        raise NotImplementedError
