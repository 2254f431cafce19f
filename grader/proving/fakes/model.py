"""Small random models and runs of them, for the tests of the model."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from batching_lab import Job, KVAllocator, OutOfBlocks, Request, SchedulerConfig, Trace, serve
from batching_lab.config import SCHEDULER_CLASSES, Policy
from batching_lab.model.batch import Batch
from batching_lab.model.config import ModelConfig
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.graphs import PaddedBatch
from batching_lab.model.llama import Llama
from batching_lab.model.loading.load import random_model
from batching_lab.model.run_log import RunLog
from batching_lab.submission.loading import Submission
from grader.paths import SOLUTION

VOCAB_SIZE = 101

TINY = ModelConfig(
    vocab_size=VOCAB_SIZE,
    hidden_size=32,
    intermediate_size=48,
    num_layers=2,
    num_heads=4,
    num_kv_heads=2,
    head_dim=8,
    context_length=256,
    tie_word_embeddings=True,
)


def tiny_model(seed: int = 0) -> Llama:
    """Weights far larger than usual: so that attention, and a fault in it, shows in the logits."""
    model = random_model(TINY, seed, torch.device("cpu"), torch.float32)
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.mul_(10)
    return model


def random_prompt(rng: random.Random, length: int) -> tuple[int, ...]:
    return tuple(rng.randrange(VOCAB_SIZE) for _ in range(length))


def with_random_prompts(jobs: list[Job], seed: int) -> list[Job]:
    """The same jobs with distinct prompts: one-token prompts may coincide, and then sharing them is legal."""
    rng = random.Random(seed)
    return [
        replace(
            job, request=replace(job.request, prompt_token_ids=random_prompt(rng, len(job.request.prompt_token_ids)))
        )
        for job in jobs
    ]


def random_jobs(seed: int, num_jobs: int = 6, spread: int = 3) -> list[Job]:
    """Requests that arrive one after the other, with prompts of 1 to 30 tokens and 2 to 14 more."""
    rng = random.Random(seed)
    return [
        Job(Request(f"r{number}", random_prompt(rng, rng.randint(1, 30)), rng.randint(2, 14)), arrival=number * spread)
        for number in range(num_jobs)
    ]


class ShuffledAllocator:
    """Hands out free blocks in random order, so that no table is in order by chance."""

    def __init__(self, num_blocks: int, block_size: int, seed: int = 0) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.free_blocks = list(range(num_blocks))
        self.tables: dict[str, list[int]] = {}
        self.rng = random.Random(seed)

    @property
    def num_free_blocks(self) -> int:
        return len(self.free_blocks)

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        return max(0, -(-num_tokens // self.block_size) - len(self.tables.get(request_id, [])))

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        if not self.can_allocate(request_id, num_tokens):
            raise OutOfBlocks
        new = [self.take() for _ in range(self.blocks_needed(request_id, num_tokens))]
        self.tables.setdefault(request_id, []).extend(new)
        return new

    def take(self) -> int:
        chosen = self.rng.randrange(len(self.free_blocks))
        self.free_blocks[chosen], self.free_blocks[-1] = self.free_blocks[-1], self.free_blocks[chosen]
        return self.free_blocks.pop()

    def block_table(self, request_id: str) -> list[int]:
        return list(self.tables.get(request_id, []))

    def free(self, request_id: str) -> None:
        self.free_blocks += self.tables.pop(request_id)


class RecordingExecutor(ModelExecutor):
    """Keeps the logits that each token was sampled from."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, log=True, **options)
        self.logits: list[Tensor] = []

    def forward(self, batch: Batch | PaddedBatch) -> Tensor:
        logits = super().forward(batch)
        self.logits.append(logits.clone())
        return logits

    @property
    def run_log(self) -> RunLog:
        assert self.log is not None
        return self.log

    def logits_of(self) -> dict[str, Tensor]:
        """For each request the logits [generated tokens, vocabulary] in order."""
        rows: dict[str, list[Tensor]] = {}
        batches = iter(self.logits)
        for steps in self.run_log.ticks:
            if steps:
                sampling = [step for step in steps if step.samples]
                for step, row in zip(sampling, next(batches), strict=True):
                    rows.setdefault(step.request_id, []).append(row)
        return {request_id: torch.stack(of_request) for request_id, of_request in rows.items()}

    def texts(self) -> dict[str, list[int]]:
        """For each request its prompt and the tokens that it generated."""
        texts = {request_id: list(job.request.prompt_token_ids) for request_id, job in self.jobs.items()}
        for steps in self.run_log.ticks:
            for step in steps:
                if step.sampled is not None:
                    texts[step.request_id].append(step.sampled)
        return texts


def run(
    make_executor: Callable[..., ModelExecutor],
    model: Llama,
    jobs: list[Job],
    config: SchedulerConfig,
    allocator: KVAllocator,
    policy: Policy = "continuous",
    **options: Any,
) -> tuple[Trace, Any]:
    """Serve the jobs with the solution's scheduler; returns the trace and the executor."""
    scheduler = Submission(SOLUTION).get_class(SCHEDULER_CLASSES[policy])(config, allocator)
    executor = make_executor(model, jobs, allocator.num_blocks, allocator.block_size, **options)
    return serve(scheduler, jobs, executor, allocator), executor


# How the same texts can come about: (policy, configuration, blocks of 4 tokens)
RUNS: dict[str, tuple[Policy, SchedulerConfig, int]] = {
    "whole": ("static", SchedulerConfig(6), 80),
    "chunked": ("continuous", SchedulerConfig(6, None, True, 3), 80),
    "mixed": ("continuous", SchedulerConfig(6, 9, True, 7), 80),
    "recomputed": ("continuous", SchedulerConfig(6, 16, True, None, "max_utilization"), 13),
}


def run_kind(
    kind: str, model: Llama, jobs: list[Job], shuffled: bool, **options: Any
) -> tuple[Trace, RecordingExecutor]:
    policy, config, num_blocks = RUNS[kind]
    allocator: KVAllocator
    if shuffled:
        allocator = ShuffledAllocator(num_blocks, 4)
    else:
        allocator = Submission(SOLUTION).get_class("BlockAllocator")(num_blocks, 4)
    return run(RecordingExecutor, model, jobs, config, allocator, policy, **options)
