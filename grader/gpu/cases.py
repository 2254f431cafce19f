"""What the GPU stage serves: the same jobs for everybody, hidden, from seeds.

Nobody ends early and nobody hangs up: whatever the scheduler and the rounding, the work is the same.
"""

import random
from dataclasses import dataclass, replace

from batching_lab.config import SchedulerConfig
from batching_lab.harness import Workload
from batching_lab.model.timing.timed import with_random_prompts
from batching_lab.request import Job
from batching_lab.workloads.jobs import make_job
from batching_lab.workloads.pool import most_blocks

BLOCK_SIZE = 4  # small, so that the pool has many blocks for its memory

Range = tuple[int, int]


@dataclass(frozen=True)
class Size:
    """How large the workloads are.

    short, long               output tokens of three quarters of the requests, and of the others
    prompt, long_prompt       prompt tokens; a long one for every third request where prompts are long
    chunk                     token budget of a tick, and twice the largest chunk, where prompts are long
    num_blocks                a pool that is never full, and that nobody should walk through in every tick
    """

    num_slots: int
    num_jobs: int
    short: Range
    long: Range
    prompt: Range
    long_prompt: Range
    chunk: int
    num_blocks: int


# For SmolLM2 in half precision the pool takes 3.8 GB.
ON_CUDA = Size(
    num_slots=32,
    num_jobs=112,
    short=(4, 12),
    long=(100, 130),
    prompt=(4, 16),
    long_prompt=(200, 600),
    chunk=256,
    num_blocks=40_960,
)
REHEARSAL = Size(
    num_slots=8,
    num_jobs=32,
    short=(2, 8),
    long=(45, 60),
    prompt=(4, 12),
    long_prompt=(40, 90),
    chunk=32,
    num_blocks=4096,
)


@dataclass(frozen=True)
class StageCase:
    """A workload, its name in reports, and the id of the rubric's test that it is for."""

    name: str
    test_id: str
    workload: Workload

    @property
    def static(self) -> Workload:
        """The same jobs for a static scheduler."""
        return replace(self.workload, policy="static")


def stage_cases(size: Size, vocab_size: int) -> list[StageCase]:
    """All that the stage serves, in its order; token ids are below `vocab_size`."""
    return [
        StageCase("long-short", "gpu_long_short", long_short(size, vocab_size)),
        StageCase("long-prompts", "gpu_long_prompts", long_prompts(size, vocab_size)),
        StageCase("tight-pool", "gpu_tight_pool", tight_pool(size, vocab_size)),
    ]


def long_short(size: Size, vocab_size: int) -> Workload:
    """Short prompts; every fourth output is long."""
    jobs = make_jobs(random.Random("long-short"), size, long_prompts=False)
    return Workload(
        "continuous", with_random_prompts(jobs, vocab_size, 1), SchedulerConfig(size.num_slots), *pool(size)
    )


def long_prompts(size: Size, vocab_size: int) -> Workload:
    """Every third prompt is long and computed in chunks beside the decodes."""
    jobs = make_jobs(random.Random("long-prompts"), size, long_prompts=True)
    config = SchedulerConfig(
        size.num_slots // 2,
        max_num_batched_tokens=size.chunk,
        enable_chunked_prefill=True,
        prefill_chunk_size=size.chunk // 2,
    )
    return Workload("continuous", with_random_prompts(jobs[: len(jobs) // 2], vocab_size, 2), config, *pool(size))


def tight_pool(size: Size, vocab_size: int) -> Workload:
    """A pool for a quarter of the slots' worst cases, so that growing sequences evict others."""
    jobs = make_jobs(random.Random("tight-pool"), size, long_prompts=False)
    jobs = jobs[: 2 * len(jobs) // 3]
    config = SchedulerConfig(
        size.num_slots,
        max_num_batched_tokens=size.chunk,
        enable_chunked_prefill=True,
        kv_policy="max_utilization",
    )
    num_blocks = size.num_slots // 4 * max(most_blocks(job, BLOCK_SIZE) for job in jobs)
    return Workload("continuous", with_random_prompts(jobs, vocab_size, 3), config, num_blocks, BLOCK_SIZE)


def make_jobs(rng: random.Random, size: Size, long_prompts: bool) -> list[Job]:
    """`size.num_jobs` jobs in random order, all there from the start."""
    jobs = []
    for number in range(size.num_jobs):
        prompt = size.long_prompt if long_prompts and number % 3 == 1 else size.prompt
        output = size.long if number % 4 == 0 else size.short
        jobs.append((rng.randint(*prompt), rng.randint(*output)))
    rng.shuffle(jobs)
    return [make_job(f"r{number}", *lengths) for number, lengths in enumerate(jobs, start=1)]


def pool(size: Size) -> tuple[int, int]:
    """Number of blocks, and their size in tokens."""
    return size.num_blocks, BLOCK_SIZE
