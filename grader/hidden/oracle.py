"""The oracle: what the rules of the tick say must happen, tick by tick. For students they stand in handout.md.

Written from the rules alone; quotes in the comments are their words as they were first written down. It shares no code
with the solution. It is slow and literal on purpose: KV blocks are counted, not numbered, and every sum is done afresh.

`expected_run` is all that others call. The names are the rules': a sequence has a prompt of P tokens, has generated
g of n, and has computed c; m is what it computes in a tick.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from batching_lab import Job, SchedulerConfig

# "None: no limit" as a number that nothing reaches, so that each rule is one comparison, with or without the limit.
NO_LIMIT = 10**18


@dataclass(frozen=True)
class ExpectedTick:
    """What one tick must look like. "During the tick" is after schedule() and before update()."""

    num_scheduled_tokens: dict[str, int]  # id -> m, in the order scheduled
    preempted: tuple[str, ...]  # in the order evicted
    finished: tuple[str, ...]  # in schedule order
    aborted: tuple[str, ...]  # waiting or running requests that were dropped at this tick's boundary
    num_waiting: int  # in the queue during the tick
    num_running: int  # admitted and unfinished during the tick
    blocks_used: int  # blocks held during the tick; 0 without an allocator


@dataclass(frozen=True)
class Expected:
    """What a whole run must look like."""

    ticks: tuple[ExpectedTick, ...]  # ticks[0] is tick 1
    refused: tuple[str, ...]  # ids refused with RequestTooLong, in order of arrival
    finish_ticks: dict[str, int]  # id -> the tick in which its last token was sampled; only of those that finished
    first_token_ticks: dict[str, int]  # id -> the tick in which its first token was sampled
    aborted: tuple[str, ...]  # also those aborted at the final boundary, which has no tick
    reached: Counter[str]  # how often each situation occurred: shows what a workload really tests


@dataclass(eq=False)  # two sequences are never "equal": `in` must mean this very one
class _Seq:
    """One request on its way. It knows P + g tokens and has computed c of them."""

    id: str
    P: int
    max_tokens: int
    n: int  # tokens it really generates; no rule that schedules may look at it
    g: int = 0
    c: int = 0
    blocks: int = 0  # KV blocks that it holds


@dataclass(frozen=True)
class _Limits:
    """The configuration, with NO_LIMIT for whatever doesn't limit."""

    slots: int
    budget: int
    chunked: bool
    chunk: int  # prefill_chunk_size, "ignored without" chunked prefill
    guaranteed_no_evict: bool
    num_blocks: int
    block_size: int | None

    def blocks(self, tokens: int) -> int:
        """blocks(n) = ceil(n / block_size). Without an allocator nothing costs blocks."""
        return 0 if self.block_size is None else -(-tokens // self.block_size)

    def worst_case(self, seqs: list[_Seq]) -> int:
        """The sum of blocks(P + max_tokens - 1): "the last token sampled is never computed"."""
        return sum(self.blocks(s.P + s.max_tokens - 1) for s in seqs)

    def free_blocks(self, running: list[_Seq]) -> int:
        """Only running sequences hold blocks: a finished, aborted or preempted one gives its blocks back at once."""
        return self.num_blocks - sum(s.blocks for s in running)


def _accepted_at_the_door(seq: _Seq, policy: str, limits: _Limits, reached: Counter[str]) -> bool:
    """Section 3, "Refused at the door"."""
    # "with an allocator, when blocks(P + max_tokens - 1) > num_blocks": this one holds under both schedulers.
    worst = limits.worst_case([seq])
    # "in continuous batching without chunked prefill and with a token budget, when its longest prefill exceeds the
    # budget: P, or P + max_tokens - 1 where a preemption is possible (an allocator with max_utilization)". After a
    # preemption everything known is one prefill, and the most that is ever computed is P + max_tokens - 1.
    prefill_rule_applies = policy == "continuous" and not limits.chunked
    preemption_possible = limits.block_size is not None and not limits.guaranteed_no_evict
    longest_prefill = seq.P + seq.max_tokens - 1 if preemption_possible else seq.P

    if worst > limits.num_blocks or (prefill_rule_applies and longest_prefill > limits.budget):
        reached["refused"] += 1
        return False
    # "Exactly at the limit is accepted."
    if worst == limits.num_blocks or (prefill_rule_applies and longest_prefill == limits.budget):
        reached["door_exact"] += 1
    return True


def _schedule_static(
    queue: list[_Seq], running: list[_Seq], limits: _Limits, reached: Counter[str]
) -> tuple[dict[str, int], list[str]]:
    """Section 3, "Static batching". Changes queue and running; returns what is scheduled and (nothing) preempted."""
    # "A batch is formed only when nothing is running": so an empty slot of a batch under way stays empty, and is not
    # "free". "From the front of the queue, in order, until the first that doesn't fit".
    if not running:
        while queue and len(running) < limits.slots:
            worst = limits.worst_case([*running, queue[0]])
            if worst > limits.num_blocks:  # "room for the worst cases of the whole batch"
                reached.update(["blocked_head", "blocked_by_worst_case"])
                break
            reached["worst_case_exact"] += worst == limits.num_blocks
            running.append(queue.pop(0))

    # "Every running sequence computes all that it knows and has not computed": no token budget, no chunking.
    scheduled: dict[str, int] = {}
    for seq in running:
        m = seq.P + seq.g - seq.c
        seq.blocks = limits.blocks(seq.c + m)  # "blocks are taken as they are needed, never in advance"
        scheduled[seq.id] = m
    return scheduled, []


def _schedule_continuous(
    queue: list[_Seq], running: list[_Seq], limits: _Limits, reached: Counter[str]
) -> tuple[dict[str, int], list[str]]:
    """Section 3, "Continuous batching", steps 1 to 3. Changes queue and running; returns scheduled and preempted."""
    scheduled: dict[str, int] = {}
    preempted: list[str] = []

    # Step 1.
    budget = limits.budget

    # Step 2: "Running sequences first, in the order in which they were admitted. [...] With budget 0, stop." Victims
    # leave from the end of the list, so the ones before `position` (already scheduled) always stay where they are.
    position = 0
    while position < len(running) and budget > 0:
        seq = running[position]
        m = min(seq.P + seq.g - seq.c, budget, limits.chunk)
        # "While blocks are short, preempt the running sequence admitted last: free all its blocks, set c = 0, keep its
        # generated tokens, put it at the front of the queue."
        while seq in running and limits.blocks(seq.c + m) - seq.blocks > limits.free_blocks(running):
            victim = running.pop()
            victim.blocks = 0
            victim.c = 0
            queue.insert(0, victim)
            preempted.append(victim.id)
            reached["preemption"] += 1
            reached["self_eviction"] += victim is seq
        if seq not in running:  # "If that victim is the sequence itself, stop step 2."
            break
        seq.blocks = limits.blocks(seq.c + m)
        scheduled[seq.id] = m
        budget -= m
        position += 1

    # Step 3: "Then admit from the queue, only if this boundary preempted nobody."
    if preempted:
        reached["two_victims"] += len(preempted) >= 2
        reached["admission_skipped_after_preemption"] += 1  # always: the victims left a free slot and are in the queue
        return scheduled, preempted

    # "While there are a free slot and budget > 0, look at the first in the queue, and if it can't be admitted, stop".
    blocked_by: list[str] = []  # every rule that says no to the queue's first; in the code of a scheduler one would do
    while queue and len(running) < limits.slots and budget > 0:
        head = queue[0]
        # "m = P + g - c; with chunked prefill m is cut to the budget and to prefill_chunk_size;
        # without it the sequence waits unless m <= budget."
        m = head.P + head.g - head.c
        if limits.chunked:
            m = min(m, budget, limits.chunk)
        if m > budget:
            blocked_by.append("blocked_by_budget")
        # "With an allocator, blocks(m) must be free."
        if limits.blocks(m) > limits.free_blocks(running):
            blocked_by.append("blocked_by_blocks")
        # "Under guaranteed_no_evict moreover the sum over all running sequences and this one of
        # blocks(P + max_tokens - 1) must be <= num_blocks."
        worst = limits.worst_case([*running, head])
        if limits.guaranteed_no_evict and worst > limits.num_blocks:
            blocked_by.append("blocked_by_worst_case")
        if blocked_by:
            break
        # "Move it to the end of the running list, allocate, schedule m, take m from the budget."
        running.append(queue.pop(0))
        head.blocks = limits.blocks(m)
        scheduled[head.id] = m
        budget -= m
        reached["worst_case_exact"] += limits.guaranteed_no_evict and worst == limits.num_blocks
        reached["recompute"] += head.g > 0  # it came from the queue with generated tokens: it was preempted

    if queue and len(running) < limits.slots:
        reached["blocked_head"] += 1
        reached.update(blocked_by or ["blocked_by_budget"])  # no rule said no: the loop ended because budget is 0
    return scheduled, preempted


def expected_run(
    policy: Literal["static", "continuous"],
    jobs: Sequence[Job],
    config: SchedulerConfig,
    num_blocks: int | None = None,
    block_size: int | None = None,
) -> Expected:
    """Run the jobs by the rules of the tick.

    num_blocks  KV blocks in the pool; None: without an allocator
    block_size  tokens a block; given with num_blocks, and only then

    Raises `ValueError` for an unknown policy, for two jobs with the same id, and if only one of num_blocks and
    block_size is given; `AssertionError` with the state if the run passes the rules' bound.
    """
    if policy not in ("static", "continuous"):
        raise ValueError(f"unknown policy {policy!r}")
    if (num_blocks is None) != (block_size is None):
        raise ValueError("num_blocks and block_size belong together: give both or neither")
    if len({job.request.request_id for job in jobs}) != len(jobs):
        raise ValueError("job ids must be distinct")
    chunk_size = config.prefill_chunk_size if config.enable_chunked_prefill else None
    limits = _Limits(
        slots=config.max_num_seqs,
        budget=NO_LIMIT if config.max_num_batched_tokens is None else config.max_num_batched_tokens,
        chunked=config.enable_chunked_prefill,
        chunk=NO_LIMIT if chunk_size is None else chunk_size,
        guaranteed_no_evict=config.kv_policy == "guaranteed_no_evict",
        num_blocks=NO_LIMIT if num_blocks is None else num_blocks,
        block_size=block_size,
    )
    # "Everything is finished by tick (last arrival) + sum of (P + n - 1)".
    last_arrival = max((job.arrival for job in jobs), default=0)
    bound = last_arrival + sum(len(job.request.prompt_token_ids) + job.num_output_tokens - 1 for job in jobs)

    queue: list[_Seq] = []  # first come, first served
    running: list[_Seq] = []  # in the order admitted; finished and aborted ones are not in it
    ticks: list[ExpectedTick] = []
    refused: list[str] = []
    finish_ticks: dict[str, int] = {}
    first_token_ticks: dict[str, int] = {}
    aborted: list[str] = []
    reached: Counter[str] = Counter()

    t = 0
    while True:
        t += 1  # "All ticks are numbered from 1. Boundary t lies just before tick t."

        # (1) At the boundary, "hand over arrivals [...]": at boundary a + 1, "in the order of the job list".
        for job in jobs:
            if job.arrival + 1 == t:
                request = job.request
                seq = _Seq(request.request_id, len(request.prompt_token_ids), request.max_tokens, job.num_output_tokens)
                if _accepted_at_the_door(seq, policy, limits, reached):
                    queue.append(seq)
                else:
                    refused.append(seq.id)

        # "[...] then aborts": `abort_at=b` at boundary b + 1. Dropping a running sequence drops its blocks with it.
        aborted_now: list[str] = []
        for job in jobs:
            if job.abort_at is not None and job.abort_at + 1 == t:
                request_id = job.request.request_id
                if any(seq.id == request_id for seq in queue):
                    reached["abort_waiting"] += 1
                elif any(seq.id == request_id for seq in running):
                    reached["abort_running"] += 1
                else:  # "a client that hangs up late is no error": it finished, or was refused
                    reached["abort_late"] += 1
                    continue
                queue = [seq for seq in queue if seq.id != request_id]
                running = [seq for seq in running if seq.id != request_id]
                aborted_now.append(request_id)
        aborted += aborted_now

        # "When, after the boundary's arrivals and aborts, nothing is unfinished and nothing will arrive, the run ends
        # without that tick." If something will arrive, the tick is idle, "and it counts".
        if not queue and not running:
            if all(job.arrival + 1 <= t for job in jobs):
                break
            reached["idle_tick"] += 1
        if t > bound:
            raise AssertionError(f"tick {t} is past the bound of {bound} ticks: {queue=}, {running=}, {limits=}")

        # (2) schedule().
        schedule = _schedule_static if policy == "static" else _schedule_continuous
        scheduled, preempted = schedule(queue, running, limits, reached)
        num_waiting, num_running = len(queue), len(running)
        blocks_used = sum(seq.blocks for seq in running)
        reached["budget_full"] += policy == "continuous" and sum(scheduled.values()) == limits.budget
        reached["blocks_full"] += blocks_used == limits.num_blocks
        reached["slots_full"] += num_running == limits.slots

        # (3) execute and (4) update(). Scheduled sequences stand in the running list in the order scheduled.
        finished: list[str] = []
        for seq in [seq for seq in running if seq.id in scheduled]:
            seq.c += scheduled[seq.id]
            reached["block_edge"] += block_size is not None and seq.c % block_size == 0
            reached["chunk"] += seq.c < seq.P + seq.g
            if seq.c == seq.P + seq.g:  # "If then c = P + g, the model samples one token: g grows by one."
                seq.g += 1
                first_token_ticks.setdefault(seq.id, t)  # a recompute never samples the first token again
                if seq.g == seq.n:  # "After its last token a sequence leaves": its blocks serve tick t + 1
                    finished.append(seq.id)
                    finish_ticks[seq.id] = t
                    reached["early_eos"] += seq.n < seq.max_tokens
                    running.remove(seq)

        ended, dropped = tuple(finished), tuple(aborted_now)
        ticks.append(ExpectedTick(scheduled, tuple(preempted), ended, dropped, num_waiting, num_running, blocks_used))

    reached = +reached  # keeps only what occurred: counting a condition that is false leaves a 0
    return Expected(tuple(ticks), tuple(refused), finish_ticks, first_token_ticks, tuple(aborted), reached)
