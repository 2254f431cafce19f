"""What a wrong block table did: to the logits that tokens were sampled from, and to the texts."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from batching_lab.model.executor import ModelExecutor
from batching_lab.model.judging.faults import FaultyExecutor
from batching_lab.model.judging.logits import plain_logits
from batching_lab.model.llama import Llama
from batching_lab.model.run_log import Step
from batching_lab.request import Job, Sequence
from batching_lab.schedule import Schedule


class LogitKeeper(ModelExecutor):
    """Keeps the logits of every sampled token."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.logits: dict[str, list[Tensor]] = {}  # request id -> of each generated token [vocabulary]
        self.texts: dict[str, list[int]] = {}  # request id -> the generated tokens

    def sample(self, steps: list[Step], logits: Tensor) -> None:
        """Keep the logits [R, vocabulary] of this tick and the tokens sampled from them."""
        sampling = [step for step in steps if step.samples]
        for step, row in zip(sampling, logits, strict=True):
            self.logits.setdefault(step.request_id, []).append(row.clone())
        super().sample(steps, logits)
        for step in sampling:
            if step.sampled is not None:
                self.texts.setdefault(step.request_id, []).append(step.sampled)


class FaultyLogitKeeper(LogitKeeper, FaultyExecutor):
    """The same with a planted fault."""


@dataclass(frozen=True)
class Consequence:
    """What happened to one request, beside the model alone: a plain forward pass over the same tokens.

    largest_change  of any logit that a token was sampled from
    token_ids       what was generated
    right           what the model alone would have generated; None: the same
    """

    request_id: str
    largest_change: float
    token_ids: list[int]
    right: list[int] | None


@torch.inference_mode()
def consequences(keeper: LogitKeeper, jobs: Iterable[Job], end_token_ids: Collection[int] = ()) -> list[Consequence]:
    """For every request that generated something. The model must be in float32, the texts end by themselves.

    end_token_ids  what ends a text beside its request's own end-of-sequence token
    """
    found = []
    for job in jobs:
        request_id, prompt = job.request.request_id, list(job.request.prompt_token_ids)
        token_ids = keeper.texts.get(request_id, [])
        if token_ids:
            expected = plain_logits(keeper.model, [*prompt, *token_ids[:-1]])[len(prompt) - 1 :]
            change = (torch.stack(keeper.logits[request_id]) - expected).abs().max()
            choices = expected.argmax(dim=-1).tolist()
            wrong = next((i for i, token_id in enumerate(token_ids) if token_id != choices[i]), None)
            right = None if wrong is None else continued_alone(keeper.model, job, token_ids[:wrong], end_token_ids)
            found.append(Consequence(request_id, float(change), token_ids, right))
    return found


def continued_alone(model: Llama, job: Job, token_ids: list[int], end_token_ids: Collection[int] = ()) -> list[int]:
    """What the model generates behind these tokens, with nobody beside it and one block for everything."""
    request = job.request
    executor = ModelExecutor(model, [job], 1, len(request.prompt_token_ids) + request.max_tokens, fixed_lengths=False)
    sequence = Sequence(request, output_token_ids=list(token_ids))
    while not sequence.is_finished:
        num_tokens = sequence.num_uncomputed_tokens
        schedule = Schedule({request.request_id: num_tokens})
        sampled = executor.execute(schedule, {request.request_id: sequence}, {request.request_id: [0]})
        sequence.num_computed_tokens += num_tokens
        sequence.output_token_ids.append(sampled[request.request_id])
        if sampled[request.request_id] in end_token_ids:
            break
    return sequence.output_token_ids
