"""Workloads for the real model, and judged runs of them: the hidden tests of Part 6.

The model runs in this process, the trusted one; a submission's scheduler and allocator stay in their worker. Every
workload here has a pool of KV blocks, and prompts of text in place of made-up tokens: a token is a byte (UTF-8).
"""

import functools
import random
from collections.abc import Iterable
from dataclasses import replace

from batching_lab.config import KVPolicy, SchedulerConfig
from batching_lab.harness import Harness, Workload
from batching_lab.model.judging.judge import serve_and_judge
from batching_lab.model.llama import Llama
from batching_lab.model.loading.load import load_model
from batching_lab.model.loading.tokenizer import ByteTokenizer
from batching_lab.request import Job, Request
from batching_lab.workloads.jobs import make_job
from batching_lab.workloads.pool import longest_sequence
from grader.hidden import workloads
from grader.hidden.grammar import make_text

FIRST_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def check_model_runs(lab: Harness, runs: Iterable[Workload]) -> None:
    """Serve the workloads with the micro model, one after the other.

    Raises `RuleViolation` for the first fault of the first that has one, as `serve_and_judge` does, and `ValueError`
    for a workload without a pool.
    """
    for workload in runs:
        serve_and_judge(lab, workload, micro())


@functools.cache
def micro() -> Llama:
    """The micro model with float32 weights on the CPU, loaded once."""
    return load_model("micro").llama


def with_texts(workload: Workload, seed: int) -> Workload:
    """The same workload, lengths and times unchanged, with texts of the model's grammar as prompts.

    Each begins with a letter of its own: so no two prefixes are equal, and no block may be shared.
    Raises `ValueError` for more jobs than `FIRST_LETTERS` has letters.
    """
    rng = random.Random(seed)
    letters = rng.sample(FIRST_LETTERS, len(workload.jobs))
    jobs = []
    for letter, job in zip(letters, workload.jobs, strict=True):
        request = job.request
        num_tokens = len(request.prompt_token_ids)
        eos_token_id = None if request.eos_token_id is None else ByteTokenizer.EOS
        request = Request(request.request_id, prompt(rng, letter, num_tokens), request.max_tokens, eos_token_id)
        jobs.append(replace(job, request=request))
    return replace(workload, jobs=jobs)


def prompt(rng: random.Random, letter: str, num_tokens: int) -> tuple[int, ...]:
    """The first `num_tokens` tokens (bytes) of stories, one after another, behind this letter."""
    text = letter
    while len(text.encode()) < num_tokens:
        text += make_text(rng) + " "
    return tuple(text.encode()[:num_tokens])


def random_runs(pool: list[Workload], count: int, seed: int) -> list[Workload]:
    """`count` different workloads of `pool` that have KV blocks, with texts.

    Raises `ValueError` if there are not so many.
    """
    with_pool = [w for w in pool if w.num_blocks is not None and len(w.jobs) <= len(FIRST_LETTERS)]
    return [with_texts(w, seed + number) for number, w in enumerate(random.Random(seed).sample(with_pool, count))]


def block_sizes(block_size: int) -> Workload:
    """Four sequences in a pool that holds the longest of them and one block more. `block_size` in tokens."""
    rng = random.Random(6000 + block_size)
    jobs = [
        make_job(f"r{number}", rng.randint(1, 2 * block_size), rng.randint(2, 7), arrival=number) for number in range(4)
    ]
    config = SchedulerConfig(4, None, block_size % 2 == 0, None, "max_utilization")
    num_blocks = -(-longest_sequence(jobs) // block_size) + 1
    return with_texts(Workload("continuous", jobs, config, num_blocks, block_size), block_size)


def stories(seed: int, kv_policy: KVPolicy) -> Workload:
    """Eight prompts of 20 to 160 tokens and 10 to 40 tokens after each, in a pool for two or three of them."""
    rng = random.Random(seed)
    letters = rng.sample(FIRST_LETTERS, 8)
    jobs = []
    for number, letter in enumerate(letters):
        request = Request(f"r{number}", prompt(rng, letter, rng.randint(20, 160)), rng.randint(10, 30))
        jobs.append(Job(request, arrival=3 * number))
    config = SchedulerConfig(6, 48, enable_chunked_prefill=True, kv_policy=kv_policy)
    return Workload("continuous", jobs, config, num_blocks=26, block_size=16)


def hang_ups(seed: int) -> Workload:
    """Every other client hangs up: while it waits, in its prompt or while it decodes, in a pool that is too small."""
    rng = random.Random(seed)
    jobs = []
    for number in range(8):
        arrival = rng.randint(0, 12)
        abort_at = arrival + rng.randint(0, 12) if number % 2 else None
        jobs.append(make_job(f"r{number}", rng.randint(1, 24), rng.randint(4, 10), arrival=arrival, abort_at=abort_at))
    config = SchedulerConfig(
        5,
        rng.choice((None, 12)),
        enable_chunked_prefill=True,
        prefill_chunk_size=rng.choice((None, 5)),
        kv_policy=rng.choice(("guaranteed_no_evict", "max_utilization")),
    )
    block_size = rng.choice((1, 2, 4, 5))
    num_blocks = -(-longest_sequence(jobs) // block_size) + 2
    return with_texts(Workload("continuous", jobs, config, num_blocks, block_size), seed)


STATIC_BATCHES = random_runs([w for w in workloads.TWO_BUDGETS if w.policy == "static"], 5, seed=610)
WHOLE_PROMPTS = random_runs([w for w in workloads.TWO_BUDGETS if w.policy == "continuous"], 6, seed=620)
CHUNKS = random_runs([w for w in workloads.CHUNKED if w.config.enable_chunked_prefill], 5, seed=630)
PREEMPTION = random_runs([w for w in workloads.MAX_UTILIZATION if not w.config.enable_chunked_prefill], 8, seed=640)
RECOMPUTED_CHUNKS = random_runs([w for w in workloads.MAX_UTILIZATION if w.config.enable_chunked_prefill], 5, seed=650)
HANG_UPS = [hang_ups(seed) for seed in range(660, 664)]
BLOCK_SIZES = [block_sizes(size) for size in range(1, 17)]
STORIES = [stories(690, "guaranteed_no_evict"), stories(691, "max_utilization")]
