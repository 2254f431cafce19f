"""Seeded random workloads for the hidden tests: small, tight, and close to every limit.

One function a part makes a workload from a seed, always the same one; the lists at the end are what is served. Lengths
are in tokens, times in ticks, pools in blocks.
"""

import random

from batching_lab.config import KVPolicy, SchedulerConfig
from batching_lab.harness import Policy, Workload
from batching_lab.request import Job
from batching_lab.workloads.jobs import make_job
from batching_lab.workloads.pool import longest_sequence

BLOCK_SIZES = (1, 2, 3, 4, 5, 8, 16)


def random_jobs(rng: random.Random, num_jobs: int, longest_prompt: int, longest_output: int) -> list[Job]:
    """Jobs r0, r1, ...: arrivals in bursts, a third of the outputs ended early, a sixth aborted within 8 ticks.

    longest_prompt, longest_output  in tokens; each length lies between 1 and that
    """
    jobs = []
    arrival = 0
    for number in range(num_jobs):
        arrival += rng.choice((0, 0, 0, 1, 2, 5))
        max_tokens = rng.randint(1, longest_output)
        early = rng.random() < 1 / 3
        jobs.append(
            make_job(
                f"r{number}",
                prompt_len=rng.randint(1, longest_prompt),
                output_len=rng.randint(1, max_tokens) if early else max_tokens,
                max_tokens=max_tokens if early or rng.random() < 0.2 else None,
                arrival=arrival,
                abort_at=arrival + rng.randint(0, 8) if rng.random() < 1 / 6 else None,
            )
        )
    if rng.random() < 0.3:
        rng.shuffle(jobs)  # the list need not be in order of arrival
    return jobs


def slots_only(seed: int) -> Workload:
    """Part 1: slots are the only limit. An odd seed gives static batching; two of 30 seeds give a crowd."""
    rng = random.Random(f"slots {seed}")
    crowd = seed % 30 in (8, 9)
    num_jobs = rng.randint(30, 40) if crowd else rng.randint(2, 9)
    jobs = random_jobs(rng, num_jobs, longest_prompt=rng.choice((1, 6)), longest_output=8)
    policy: Policy = "static" if seed % 2 else "continuous"
    return Workload(policy, jobs, SchedulerConfig(12 if crowd else rng.randint(1, 4)))


def many_slots(policy: Policy) -> Workload:
    """Part 1: 310 jobs on 300 slots: so many that equal counts of them are not the same object in Python."""
    rng = random.Random(f"many slots {policy}")
    jobs = [make_job(f"r{number}", rng.randint(1, 6), rng.randint(1, 3)) for number in range(310)]
    return Workload(policy, jobs, SchedulerConfig(300))


def two_budgets(seed: int) -> Workload:
    """Part 3: a token budget and a pool, each near what the longest request needs; some requests are refused.

    Budget, pool or both may be missing. Every fourth seed gives static batching, two of 40 give a crowd.
    """
    rng = random.Random(f"budgets {seed}")
    crowd = seed % 40 in (8, 9)
    jobs = random_jobs(rng, rng.randint(30, 40) if crowd else rng.randint(3, 9), longest_prompt=12, longest_output=8)
    longest_prompt = max(len(job.request.prompt_token_ids) for job in jobs)
    block_size = rng.choice(BLOCK_SIZES)
    longest_blocks = -(-longest_sequence(jobs) // block_size)
    more = rng.randint(0, 8)
    config = SchedulerConfig(
        max_num_seqs=12 if crowd else rng.randint(1, 5),
        max_num_batched_tokens=rng.choice((None, longest_prompt - 1 or 1, longest_prompt, longest_prompt + more)),
    )
    num_blocks = rng.choice((None, longest_blocks - 1 or 1, longest_blocks, longest_blocks + 1, longest_blocks * 2))
    if crowd and num_blocks is not None:
        num_blocks *= 6
    policy: Policy = "static" if seed % 4 == 0 else "continuous"
    return Workload(policy, jobs, config, num_blocks, None if num_blocks is None else block_size)


def chunked(seed: int) -> Workload:
    """Part 4: prompts in pieces, under small budgets and chunk sizes; a tenth without chunked prefill."""
    rng = random.Random(f"chunked {seed}")
    jobs = random_jobs(rng, rng.randint(3, 8), longest_prompt=20, longest_output=6)
    block_size = rng.choice(BLOCK_SIZES)
    longest_blocks = -(-longest_sequence(jobs) // block_size)
    config = SchedulerConfig(
        max_num_seqs=rng.randint(1, 5),
        max_num_batched_tokens=rng.choice((None, rng.randint(1, 5), rng.randint(4, 16))),
        enable_chunked_prefill=rng.random() < 0.9,
        prefill_chunk_size=rng.choice((None, None, rng.randint(1, 8))),
    )
    num_blocks = rng.choice((None, longest_blocks, longest_blocks + 2, longest_blocks * 3))
    return Workload("continuous", jobs, config, num_blocks, None if num_blocks is None else block_size)


def max_utilization(seed: int) -> Workload:
    """Part 5: pools so tight that growth preempts; of every third seed's several sequences at one boundary."""
    rng = random.Random(f"utilization {seed}")
    crowd = seed % 30 == 0
    jobs = random_jobs(rng, rng.randint(30, 40) if crowd else rng.randint(3, 8), longest_prompt=10, longest_output=12)
    many_victims = seed % 3 == 0  # a chunk of several small blocks displaces several short sequences at once
    block_size = rng.choice((1, 2) if many_victims else BLOCK_SIZES)
    longest = longest_sequence(jobs)
    longest_blocks = -(-longest // block_size)
    is_chunked = many_victims or rng.random() < 0.5
    budget = rng.choice((None, rng.randint(2, 8) if is_chunked else longest + rng.randint(-1, 6) or 1))
    policy: KVPolicy = "max_utilization"
    config = SchedulerConfig(
        max_num_seqs=12 if crowd else rng.randint(4, 6) if many_victims else rng.randint(2, 6),
        max_num_batched_tokens=None if many_victims else budget,
        enable_chunked_prefill=is_chunked,
        prefill_chunk_size=rng.randint(3, 6) if many_victims else rng.choice((None, rng.randint(2, 8))),
        kv_policy=policy,
    )
    num_blocks = longest_blocks + rng.choice((-1, 0, 0, 1, 2, 4)) + (8 if crowd else 0)
    return Workload("continuous", jobs, config, max(1, num_blocks), block_size)


SLOTS_ONLY = [*(slots_only(seed) for seed in range(60)), many_slots("static"), many_slots("continuous")]
TWO_BUDGETS = [two_budgets(seed) for seed in range(120)]
CHUNKED = [chunked(seed) for seed in range(90)]
MAX_UTILIZATION = [max_utilization(seed) for seed in range(150)]
ALL = SLOTS_ONLY + TWO_BUDGETS + CHUNKED + MAX_UTILIZATION
