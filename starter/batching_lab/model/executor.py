"""The executor with a model: runs each tick's schedule as one batch over a paged KV cache."""

from collections.abc import Iterable, Mapping
from typing import Protocol

import torch
from torch import Tensor

from batching_lab.errors import ModelError
from batching_lab.model.batch import Batch, make_batch
from batching_lab.model.devices import machine_faults
from batching_lab.model.graphs import PaddedBatch, StepGraphs
from batching_lab.model.kv_cache import KVCache
from batching_lab.model.llama import Llama
from batching_lab.model.run_log import RunLog, Step
from batching_lab.request import Job, Sequence
from batching_lab.schedule import Schedule
from batching_lab.workloads.pool import most_tokens


class TickJudge(Protocol):
    """Looks at every tick after it was executed: `ShadowKV`, `LogitCheck`."""

    def check_tick(self, steps: list[Step]) -> None:
        """Raise `RuleViolation` if something was wrong."""
        ...


class ModelExecutor:
    """Computes scheduled tokens with a model and samples the most likely next token (greedy).

    Keys and values are stored and read through the block tables only, so a wrong table spoils what the model
    computes. The scheduler and allocator in front of it decide everything else.

    fixed_lengths  True: each job generates as many tokens as it says, and the end-of-sequence token comes there
                   and nowhere else, whatever the model would say: the work is the same in every run.
                   False: the model ends its texts itself
    log            keep a `RunLog`, to judge the run afterwards
    judges         look at every tick, in this order
    graphs         run small ticks with them, in their KV cache; None: every tick as it is, in a cache of its own

    Raises `ModelError` for a job that the model can't serve: an unknown token, or too long a sequence; and
    `DeviceError` where the GPU fails.
    """

    def __init__(
        self,
        model: Llama,
        jobs: Iterable[Job],
        num_blocks: int,
        block_size: int,
        *,
        fixed_lengths: bool = True,
        log: bool = False,
        judges: Iterable[TickJudge] = (),
        graphs: StepGraphs | None = None,
    ) -> None:
        self.model = model
        self.jobs = {job.request.request_id: job for job in jobs}
        for job in self.jobs.values():
            require_servable(job, model)
        self.graphs = graphs
        if graphs is None:
            with machine_faults():
                self.cache = KVCache(model.config, num_blocks, block_size, model.device, model.dtype)
        elif graphs.llama is model and graphs.cache.num_blocks >= num_blocks and graphs.cache.block_size == block_size:
            self.cache = graphs.cache
        else:
            raise ModelError(
                f"the graphs are of another model, or their cache has no {num_blocks} blocks of {block_size}"
            )
        self.fixed_lengths = fixed_lengths
        self.log = RunLog(num_blocks, block_size, fixed_lengths) if log else None
        self.judges = tuple(judges)

    def execute(
        self,
        schedule: Schedule,
        sequences: Mapping[str, Sequence],
        block_tables: Mapping[str, list[int]],
    ) -> dict[str, int]:
        """Run one tick; see `batching_lab.interfaces.Executor`. Raises `RuleViolation` where a judge does."""
        steps = [
            make_step(sequences[request_id], num_tokens, block_tables.get(request_id, []))
            for request_id, num_tokens in schedule.num_scheduled_tokens.items()
        ]
        if steps:
            with machine_faults():
                self.sample(steps, self.forward(self.prepare(steps)))
        if self.log is not None:
            self.log.ticks.append(steps)
        for judge in self.judges:
            judge.check_tick(steps)
        return {step.request_id: step.sampled for step in steps if step.sampled is not None}

    def prepare(self, steps: list[Step]) -> Batch | PaddedBatch:
        """The inputs of a tick with at least one step."""
        padded = self.graphs.prepare(steps) if self.graphs is not None else None
        return padded or make_batch(steps, self.cache)

    @torch.inference_mode()
    def forward(self, batch: Batch | PaddedBatch) -> Tensor:
        """Compute the batch's tokens; the logits [R, vocabulary] after each sequence's last known token."""
        if isinstance(batch, PaddedBatch):
            assert self.graphs is not None
            return self.graphs.run(batch)
        hidden = self.model(batch.token_ids, batch.positions, batch.attention)
        return self.model.logits(hidden[batch.last_tokens])

    @torch.inference_mode()
    def sample(self, steps: list[Step], logits: Tensor) -> None:
        """Give each step that samples its token, from its row of the logits [R, vocabulary]."""
        sampling = [step for step in steps if step.samples]
        if self.fixed_lengths:
            self.forbid_end_of_sequence(sampling, logits)
        for step, token in zip(sampling, self.choose(logits).tolist(), strict=True):
            job = self.jobs[step.request_id]
            num_output_tokens = step.end - len(job.request.prompt_token_ids) + 1
            ends_early = num_output_tokens == job.num_output_tokens < job.request.max_tokens
            step.forced = self.fixed_lengths and ends_early
            step.sampled = job.request.eos_token_id if step.forced else token

    def choose(self, logits: Tensor) -> Tensor:
        """The next tokens [R] from logits [R, vocabulary]: always the most likely."""
        return logits.argmax(dim=-1)

    def forbid_end_of_sequence(self, sampling: list[Step], logits: Tensor) -> None:
        """Set the logit of each request's end-of-sequence token to -inf, in its row of the logits [R, vocabulary]."""
        eos_token_ids = [self.jobs[step.request_id].request.eos_token_id for step in sampling]
        rows = [row for row, token_id in enumerate(eos_token_ids) if token_id is not None]
        if rows:
            logits[rows, [token_id for token_id in eos_token_ids if token_id is not None]] = -torch.inf


def make_step(sequence: Sequence, num_tokens: int, block_table: list[int]) -> Step:
    """The next `num_tokens` of what a sequence knows and has not computed."""
    start = sequence.num_computed_tokens
    end = start + num_tokens
    prompt = sequence.request.prompt_token_ids
    token_ids = prompt[start:end]
    if end > len(prompt):
        first_output = max(0, start - len(prompt))
        token_ids += tuple(sequence.output_token_ids[first_output : end - len(prompt)])
    samples = num_tokens == sequence.num_uncomputed_tokens
    return Step(sequence.request.request_id, start, token_ids, tuple(block_table), samples)


def require_servable(job: Job, model: Llama) -> None:
    """Raise `ModelError` unless the model knows the job's tokens and has room for all of them."""
    request = job.request
    vocab_size, context_length = model.config.vocab_size, model.config.context_length
    eos_token_ids = [] if request.eos_token_id is None else [request.eos_token_id]
    for token_id in (*request.prompt_token_ids, *eos_token_ids):
        if not 0 <= token_id < vocab_size:
            raise ModelError(
                f"request {request.request_id}: token {token_id} is not one of the model's {vocab_size} tokens"
            )
    num_tokens = most_tokens(job)
    if num_tokens > context_length:
        raise ModelError(
            f"request {request.request_id}: {len(request.prompt_token_ids)} prompt tokens and max_tokens "
            f"{request.max_tokens} need a context of {num_tokens} tokens, but the model has {context_length}"
        )
