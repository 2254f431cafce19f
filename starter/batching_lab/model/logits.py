"""The second judge: would a plain forward pass have sampled the same tokens, up to rounding?

Each request's text is computed once more, whole and without a cache, in float32. The logit of every token that was
sampled must be close to the largest one. It is not asked to be the largest: half precision and other batch
shapes round differently, and where two tokens are nearly as likely, rounding decides.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch

from batching_lab.errors import RuleViolation
from batching_lab.model.attention import plain_attention
from batching_lab.model.llama import Llama
from batching_lab.model.run_log import RunLog
from batching_lab.request import Job

TOLERANCE = 0.05


@dataclass(frozen=True)
class LogitGap:
    """By how much the logit of a sampled token misses the largest one.

    position  of the token before it: where it was sampled
    """

    tick: int
    request_id: str
    position: int
    token_id: int
    gap: float

    def violation(self) -> RuleViolation:
        what = (
            f"{self.request_id} sampled token {self.token_id} after its position {self.position}, "
            f"whose logit is {self.gap:.3f} below the largest"
        )
        return RuleViolation("logits", self.tick, what, self.request_id)


@torch.inference_mode()
def logit_gaps(reference: Llama, log: RunLog, jobs: Iterable[Job]) -> list[LogitGap]:
    """The gap of every token that was sampled in a run, request by request. `reference` is a float32 model."""
    gaps = []
    sampled = sampled_tokens(log)
    for job in jobs:
        request = job.request
        tokens = sampled.get(request.request_id, [])
        if not tokens:
            continue
        token_ids = [*request.prompt_token_ids, *(token_id for _, token_id, _ in tokens)]
        logits = plain_logits(reference, token_ids[:-1])[len(request.prompt_token_ids) - 1 :]
        if log.fixed_lengths and request.eos_token_id is not None:
            logits[:, request.eos_token_id] = -torch.inf  # it was not allowed to be sampled
        largest = logits.max(dim=-1).values.tolist()
        for number, (tick, token_id, forced) in enumerate(tokens):
            if not forced:
                position = len(request.prompt_token_ids) - 1 + number
                gap = largest[number] - float(logits[number, token_id])
                gaps.append(LogitGap(tick, request.request_id, position, token_id, gap))
    return gaps


def find_logit_faults(
    reference: Llama, log: RunLog, jobs: Iterable[Job], tolerance: float = TOLERANCE
) -> list[LogitGap]:
    """The sampled tokens whose gap exceeds the tolerance; NaN does."""
    return [gap for gap in logit_gaps(reference, log, jobs) if not gap.gap <= tolerance]


def plain_logits(model: Llama, token_ids: list[int]) -> torch.Tensor:
    """The logits after each token of one sequence [T, vocabulary], from a plain forward pass."""
    hidden = model(
        torch.tensor(token_ids, device=model.device),
        torch.arange(len(token_ids), device=model.device),
        plain_attention,
    )
    return model.logits(hidden)


def sampled_tokens(log: RunLog) -> dict[str, list[tuple[int, int, bool]]]:
    """For each request (tick, token, forced) of its generated tokens, in order."""
    sampled: dict[str, list[tuple[int, int, bool]]] = {}
    for tick, steps in enumerate(log.ticks, start=1):
        for step in steps:
            if step.sampled is not None:
                sampled.setdefault(step.request_id, []).append((tick, step.sampled, step.forced))
    return sampled
