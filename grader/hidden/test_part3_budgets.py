"""Part 3, hidden: tokens per tick, KV blocks under `guaranteed_no_evict`, static batching's KV rule, the door.

Each call of `lab.expect` says what is given (policy, jobs, limits), then who is refused, then the ticks that follow.
Jobs (`A=6+4/9@2~5`) and ticks (`3  A B:6`) are written as in Part 1. Blocks hold `block_size` tokens: where that is 4,
A=6+4/9 takes 2 blocks for its prompt, and its worst case is blocks(6 + 9 - 1) = 4.
"""

from batching_lab import Request, RequestTooLong, SchedulerConfig
from batching_lab.harness import Harness, Policy, require, require_raises
from batching_lab.interfaces import Scheduler
from batching_lab.schedule import Schedule
from grader.hidden.direct import decide
from grader.hidden.random_runs import check_random_runs
from grader.hidden.workloads import TWO_BUDGETS

CONTINUOUS = [w for w in TWO_BUDGETS if w.policy == "continuous"]


def test_token_budget_whole_prompt_waits(lab: Harness) -> None:
    """A prompt waits until the whole of it fits into what is left of the tick's token budget."""
    lab.expect(
        "continuous",
        "A=4+3,B=3+2",
        max_num_seqs=4,
        max_num_batched_tokens=6,
        ticks="""
        1  A:4
        2  A B:3
        3  A B
        """,
    )


def test_token_budget_filled_exactly(lab: Harness) -> None:
    """Two prompts that fill the token budget exactly run in one tick, whatever their outputs will be."""
    lab.expect(
        "continuous",
        "A=4+3,B=2+3,C=1+2",
        max_num_seqs=4,
        max_num_batched_tokens=6,
        ticks="""
        1  A:4 B:2
        2  A B C
        3  A B C
        """,
    )


def test_token_budget_decodes_first(lab: Harness) -> None:
    """Decodes of running sequences use the token budget before any prompt does."""
    lab.expect(
        "continuous",
        "A=1+3,B=1+4,C=4+2@1",
        max_num_seqs=4,
        max_num_batched_tokens=5,
        ticks="""
        1  A B
        2  A B
        3  A B
        4  B C:4
        5  C
        """,
    )


def test_token_budget_nobody_overtakes(lab: Harness) -> None:
    """A short prompt does not overtake a long one that waits for the token budget."""
    lab.expect(
        "continuous",
        "A=1+3,B=4+2,C=1+1@1",
        max_num_seqs=4,
        max_num_batched_tokens=4,
        ticks="""
        1  A
        2  A
        3  A
        4  B:4
        5  B C
        """,
    )


def test_token_budget_none(lab: Harness) -> None:
    """Without a token budget two prompts of 20,000 tokens run in one tick."""
    lab.expect(
        "continuous",
        "A=20000+2,B=20000+2",
        max_num_seqs=2,
        ticks="""
        1  A:20000 B:20000
        2  A B
        """,
    )


def test_blocks_taken_as_needed(lab: Harness) -> None:
    """A sequence takes a block in the tick in which it needs it, neither earlier nor later."""
    lab.expect(
        "continuous",
        "A=3+8",
        max_num_seqs=1,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:3
        2  A
        3  A
        4  A
        5  A
        6  A
        7  A
        8  A
        """,
    )


def test_blocks_last_token_needs_none(lab: Harness) -> None:
    """The last token that a sequence samples needs no KV slot, neither in its worst case nor in its blocks."""
    lab.expect(
        "continuous",
        "A=4+1,B=1+4",
        max_num_seqs=2,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:4 B
        2  B
        3  B
        4  B
        """,
    )
    lab.expect(
        "continuous",
        "A=4+1,B=1+4",
        max_num_seqs=2,
        num_blocks=1,
        block_size=4,
        ticks="""
        1  A:4
        2  B
        3  B
        4  B
        5  B
        """,
    )


def test_block_sizes(lab: Harness) -> None:
    """For block sizes from 1 to 16, two sequences run together only in a pool that holds both worst cases."""
    pool_for_both = {16: 2, 7: 3, 5: 4, 3: 5, 2: 7, 1: 14}
    for block_size, num_blocks in pool_for_both.items():
        rule = f"n tokens fill ceil(n / block_size) blocks, also where block_size is {block_size}."
        lab.expect(
            "continuous",
            "A=5+2/4,B=3+2/4",
            max_num_seqs=2,
            num_blocks=num_blocks,
            block_size=block_size,
            rule=rule,
            ticks="""
            1  A:5 B:3
            2  A B
            """,
        )
        lab.expect(
            "continuous",
            "A=5+2/4,B=3+2/4",
            max_num_seqs=2,
            num_blocks=num_blocks - 1,
            block_size=block_size,
            rule=rule,
            ticks="""
            1  A:5
            2  A
            3  B:3
            4  B
            """,
        )


def test_worst_case_not_what_fits_now(lab: Harness) -> None:
    """A prompt that would fit now waits if the sequence may outgrow the pool later."""
    lab.expect(
        "continuous",
        "A=5+3/4,B=4+2/9",
        max_num_seqs=2,
        num_blocks=4,
        block_size=4,
        ticks="""
        1  A:5
        2  A
        3  A
        4  B:4
        5  B
        """,
    )


def test_worst_case_of_running_sequences(lab: Harness) -> None:
    """What a running sequence may still take is not given to a new one, though it is free now."""
    lab.expect(
        "continuous",
        "A=4+3/9,B=4+2/5",
        max_num_seqs=2,
        num_blocks=4,
        block_size=4,
        ticks="""
        1  A:4
        2  A
        3  A
        4  B:4
        5  B
        """,
    )


def test_worst_case_pool_exactly_full(lab: Harness) -> None:
    """A sequence is admitted when the worst cases fill the pool exactly, the next one at that boundary is not."""
    lab.expect(
        "continuous",
        "A=4+5,B=2+2/7@3,C=2+2/7@3",
        max_num_seqs=4,
        num_blocks=4,
        block_size=4,
        ticks="""
        1  A:4
        2  A
        3  A
        4  A B:2
        5  A B
        6  C:2
        7  C
        """,
    )


def test_worst_case_large_pool(lab: Harness) -> None:
    """In a pool of hundreds of blocks the worst cases may fill the last one, too."""
    lab.expect(
        "continuous",
        "A=150+1,B=149+2",
        max_num_seqs=2,
        num_blocks=300,
        block_size=1,
        ticks="""
        1  A:150 B:149
        2  B
        """,
    )


def test_worst_case_rounded_per_sequence(lab: Harness) -> None:
    """Worst cases are added up in blocks: two sequences do not share the unused ends of their last blocks."""
    lab.expect(
        "continuous",
        "A=3+2/3,B=3+2/3",
        max_num_seqs=2,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:3
        2  A
        3  B:3
        4  B
        """,
    )


def test_worst_case_nobody_overtakes(lab: Harness) -> None:
    """A small request does not overtake a large one that waits for KV blocks."""
    lab.expect(
        "continuous",
        "A=4+3,B=5+2,C=2+2",
        max_num_seqs=3,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:4
        2  A
        3  A
        4  B:5 C:2
        5  B C
        """,
    )


def test_worst_case_back_after_early_eos(lab: Harness) -> None:
    """A sequence that ends early gives its whole worst case back, not only the blocks that it had come to hold."""
    lab.expect(
        "continuous",
        "A=2+3/20,B=4+2",
        max_num_seqs=2,
        num_blocks=6,
        block_size=4,
        ticks="""
        1  A:2
        2  A
        3  A
        4  B:4
        5  B
        """,
    )


def test_abort_running_gives_blocks_back(lab: Harness) -> None:
    """When a running sequence is aborted, its blocks and its worst case serve that same boundary."""
    policies: tuple[Policy, ...] = ("continuous", "static")
    for policy in policies:
        lab.expect(
            policy,
            "A=4+9~2,B=4+2/5",
            max_num_seqs=2,
            num_blocks=4,
            block_size=4,
            rule=f"Under {policy} batching an aborted sequence gives its blocks and its worst case back at once.",
            ticks="""
            1  A:4
            2  A
            3  B:4
            4  B
            """,
        )


def test_abort_of_one_that_holds_nothing(lab: Harness) -> None:
    """An abort of a waiting or a finished request gives nothing back; one that waited behind it moves up."""
    lab.expect(
        "continuous",
        "A=2+3/7,B=4+5~1,C=2+2~3,D=4+1/5",
        max_num_seqs=4,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:2
        2  A C:2
        3  A C
        4  D:4
        """,
    )


def test_two_budgets_together(lab: Harness) -> None:
    """One request waits for tokens, the next one for blocks, and neither wait costs anything."""
    lab.expect(
        "continuous",
        "A=4+3,B=3+2,C=2+2/4,D=1+2",
        max_num_seqs=3,
        max_num_batched_tokens=6,
        num_blocks=3,
        block_size=4,
        ticks="""
        1  A:4
        2  A B:3
        3  A B
        4  C:2 D
        5  C D
        """,
    )


def test_static_batch_by_worst_cases(lab: Harness) -> None:
    """A static batch takes sequences until their worst cases fill the pool; blocks given back serve the next batch."""
    lab.expect(
        "static",
        "A=4+2/5,B=5+3/4,C=1+1",
        max_num_seqs=4,
        num_blocks=4,
        block_size=4,
        ticks="""
        1  A:4 B:5
        2  A B
        3  B
        4  C
        """,
    )


def test_static_batch_ends_at_first_misfit(lab: Harness) -> None:
    """A static batch ends before the first sequence whose worst case does not fit, though a later one would."""
    lab.expect(
        "static",
        "A=4+1/2,B=5+2/6,C=1+2",
        max_num_seqs=3,
        num_blocks=4,
        block_size=4,
        ticks="""
        1  A:4
        2  B:5 C
        3  B C
        """,
    )


def test_static_ignores_other_limits(lab: Harness) -> None:
    """Static batching knows no token budget, no chunks and no `max_utilization`, also when they are configured."""
    lab.expect(
        "static",
        "A=6+2/3,B=4+2/5,C=1+2/5",
        max_num_seqs=3,
        max_num_batched_tokens=4,
        enable_chunked_prefill=True,
        prefill_chunk_size=2,
        num_blocks=5,
        block_size=4,
        kv_policy="max_utilization",
        ticks="""
        1  A:6 B:4
        2  A B
        3  C
        4  C
        """,
    )


def test_door_kv_worst_case(lab: Harness) -> None:
    """Continuous batching refuses a request whose worst case is larger than the pool, and no other."""
    lab.expect(
        "continuous",
        "A=4+2/5,B=4+6,C=8+1,D=9+1,E=1+2/8@1,F=1+9@1",
        max_num_seqs=2,
        num_blocks=2,
        block_size=4,
        refused="B D F",
        ticks="""
        1  A:4
        2  A
        3  C:8
        4  E
        5  E
        """,
    )


def test_door_token_budget(lab: Harness) -> None:
    """Where nobody is preempted, a request is refused for its tokens only if its prompt exceeds the token budget."""
    for num_blocks, block_size in ((None, None), (5, 4)):
        lab.expect(
            "continuous",
            "A=6+3,B=7+1,C=1+2/9",
            max_num_seqs=2,
            max_num_batched_tokens=6,
            num_blocks=num_blocks,
            block_size=block_size,
            refused="B",
            ticks="""
            1  A:6
            2  A C
            3  A C
            """,
        )


def test_door_static(lab: Harness) -> None:
    """Static batching refuses a request that is too large for the pool, but never one that exceeds the token budget."""
    lab.expect(
        "static",
        "A=8+1,B=9+1,C=1+2/8,D=1+9",
        max_num_seqs=2,
        max_num_batched_tokens=4,
        num_blocks=2,
        block_size=4,
        refused="B D",
        ticks="""
        1  A:8
        2  C
        3  C
        """,
    )
    lab.expect(
        "static",
        "A=7+2/2,B=8+2",
        max_num_seqs=2,
        max_num_batched_tokens=4,
        num_blocks=2,
        block_size=4,
        kv_policy="max_utilization",
        rule="Static batching refuses a request by blocks(P + max_tokens - 1) alone, whatever kv_policy is.",
        refused="B",
        ticks="""
        1  A:7
        2  A
        """,
    )


def test_door_duplicate_looked_at_first(lab: Harness) -> None:
    """A request that is too long and has the id of one that is in the scheduler is refused for its id."""
    check_duplicate(lab, "static")
    check_duplicate(lab, "continuous")


def check_duplicate(lab: Harness, policy: Policy) -> None:
    scheduler = lab.scheduler(policy, SchedulerConfig(2, 8), lab.allocator(num_blocks=2, block_size=4))
    asked = f"{policy}: add_request of a request that is too long, with an id that"
    scheduler.add_request(request("A", 4, 2))
    require_raises(ValueError, lambda: scheduler.add_request(request("A", 9, 9)), f"{asked} is waiting")
    run_tick(scheduler, {"A": 4}, {"A": 5}, [], policy)
    require_raises(ValueError, lambda: scheduler.add_request(request("A", 9, 9)), f"{asked} is running")
    run_tick(scheduler, {"A": 1}, {"A": 6}, ["A"], policy)
    require_raises(RequestTooLong, lambda: scheduler.add_request(request("A", 9, 9)), f"{asked} has finished")


def test_door_refused_leaves_nothing(lab: Harness) -> None:
    """A refused request changes nothing: it is not unfinished, never runs, and its id may come again."""
    check_refused(lab, "static", 9)
    check_refused(lab, "continuous", 9)
    check_refused(lab, "continuous", 5)


def check_refused(lab: Harness, policy: Policy, prompt_len: int) -> None:
    allocator = lab.allocator(num_blocks=2, block_size=4)
    scheduler = lab.scheduler(policy, SchedulerConfig(2, 4), allocator)
    require_raises(
        RequestTooLong,
        lambda: scheduler.add_request(request("A", prompt_len, 1)),
        f"{policy}: add_request of a request that is too long",
    )
    require(scheduler.has_unfinished() is False, f"{policy}: has_unfinished() counts a request that was refused")
    require(allocator.num_free_blocks == 2, f"{policy}: a request that was refused holds KV blocks")
    run_tick(scheduler, {}, {}, [], policy)
    scheduler.abort("A")
    scheduler.add_request(request("A", 4, 1))
    run_tick(scheduler, {"A": 4}, {"A": 5}, ["A"], policy)


def request(request_id: str, prompt_len: int, max_tokens: int) -> Request:
    return Request(request_id, (1,) * prompt_len, max_tokens)


def run_tick(
    scheduler: Scheduler, scheduled: dict[str, int], sampled: dict[str, int], finished: list[str], policy: Policy
) -> None:
    """One tick by hand; the tokens are made up."""
    schedule = scheduler.schedule()
    require(
        schedule.num_scheduled_tokens == scheduled and schedule.preempted == (),
        f"{policy}: after a request was refused, schedule() decides something else than without it",
    )
    require(
        scheduler.update(sampled) == finished,
        f"{policy}: after a request was refused, update() returns something else than without it",
    )


def test_worst_case_when_an_id_comes_again(lab: Harness) -> None:
    """A request with the id of an earlier one is counted with its own worst case."""
    scheduler = lab.scheduler("continuous", SchedulerConfig(2), lab.allocator(num_blocks=3, block_size=4))
    scheduler.add_request(request("A", 1, 1))
    decide(scheduler, Schedule({"A": 1}), "a request that is alone")
    scheduler.update({"A": 5})
    scheduler.add_request(request("A", 8, 2))
    scheduler.add_request(request("B", 4, 1))
    decide(
        scheduler, Schedule({"A": 8}), "a longer request with the id of one that has finished, and another behind it"
    )
    scheduler.update({"A": 5})
    decide(scheduler, Schedule({"A": 1}), "a running sequence that will need the whole pool")
    scheduler.update({"A": 5})
    decide(scheduler, Schedule({"B": 4}), "a waiting request and a pool that is free again")


def test_random_static_blocks(lab: Harness) -> None:
    """Random workloads under static batching with a pool and a token budget to ignore, at every tick."""
    check_random_runs(lab, (w for w in TWO_BUDGETS if w.policy == "static"))


def test_random_token_budget(lab: Harness) -> None:
    """Random workloads under continuous batching with a token budget only, at every tick."""
    check_random_runs(lab, (w for w in CONTINUOUS if w.num_blocks is None))


def test_random_blocks(lab: Harness) -> None:
    """Random workloads under continuous batching with KV blocks only, at every tick."""
    check_random_runs(
        lab, (w for w in CONTINUOUS if w.num_blocks is not None and w.config.max_num_batched_tokens is None)
    )


def test_random_both_budgets(lab: Harness) -> None:
    """Random workloads under continuous batching with both budgets, at every tick."""
    check_random_runs(
        lab, (w for w in CONTINUOUS if w.num_blocks is not None and w.config.max_num_batched_tokens is not None)
    )
