"""The second judge: would a plain forward pass have sampled the same tokens, up to rounding?

Each request's text is computed once more, whole and without a cache, in float32. The logit of every token that was
sampled must be close to the largest one. It is not asked to be the largest: half precision and other batch
shapes round differently, and where two tokens are nearly as likely, rounding decides.

Measured on a CPU, the largest gap of a run without fault, and of one with (median of 12 runs of the micro model):

    micro, 2400 tokens      float32 0.000   float16 0.012   bfloat16 0.128
    SmolLM2, 96 tokens      float32 0.000   float16 0.012   bfloat16 0.030
    micro, float32          a block given twice 11.9   a lost slot 14.2   a stale block 0.000   swapped blocks 0.000

So float16 stays four times below the tolerance and a fault that changes texts lies a hundred times above it. The last
two faults show why this is only the second judge; bfloat16 is too coarse for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch

from batching_lab.errors import RuleViolation
from batching_lab.model.attention import plain_attention
from batching_lab.model.llama import Llama
from batching_lab.model.run_log import RunLog, Step
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

    def exceeds(self, tolerance: float = TOLERANCE) -> bool:
        """Is the gap too large, or no number?"""
        return not self.gap <= tolerance  # so that NaN does

    def violation(self) -> RuleViolation:
        """The rule that it breaks."""
        what = (
            f"{self.request_id} sampled token {self.token_id} after its position {self.position}, "
            f"whose logit is {self.gap:.3f} below the largest"
        )
        seen = f"{self.request_id} sampled a token after its position {self.position} that is not the model's"
        return RuleViolation("logits", self.tick, what, self.request_id, seen)


@torch.inference_mode()
def logit_gaps(reference: Llama, log: RunLog, jobs: Iterable[Job]) -> list[LogitGap]:
    """The gap of every token that was sampled in a run, request by request. `reference` is a float32 model."""
    gaps = []
    sampled = sampled_tokens(log)
    for job in jobs:
        prompt, tokens = job.request.prompt_token_ids, sampled.get(job.request.request_id, [])
        if not tokens:
            continue
        token_ids = [*prompt, *(token_id for _, token_id, _ in tokens)]
        logits = plain_logits(reference, token_ids[:-1])[len(prompt) - 1 :]
        for number, (tick, token_id, forced) in enumerate(tokens):
            if not forced:
                gap = gap_of(token_id, logits[number], job, log.fixed_lengths)
                gaps.append(LogitGap(tick, job.request.request_id, len(prompt) - 1 + number, token_id, gap))
    return gaps


def find_logit_faults(
    reference: Llama, log: RunLog, jobs: Iterable[Job], tolerance: float = TOLERANCE
) -> list[LogitGap]:
    """The sampled tokens whose gap is too large."""
    return [gap for gap in logit_gaps(reference, log, jobs) if gap.exceeds(tolerance)]


class LogitCheck:
    """The same judge beside a run, tick by tick. It computes each text anew for every token: slow."""

    def __init__(self, reference: Llama, jobs: Iterable[Job], fixed_lengths: bool) -> None:
        self.reference = reference
        self.jobs = {job.request.request_id: job for job in jobs}
        self.texts = {request_id: list(job.request.prompt_token_ids) for request_id, job in self.jobs.items()}
        self.fixed_lengths = fixed_lengths
        self.tick = 0

    def check_tick(self, steps: list[Step]) -> None:
        """Raise `RuleViolation` for the first token sampled in this tick whose gap is too large."""
        for gap in self.gaps_in(steps):
            if gap.exceeds():
                raise gap.violation()

    @torch.inference_mode()
    def gaps_in(self, steps: list[Step]) -> list[LogitGap]:
        """The gaps of the tokens sampled in this tick."""
        self.tick += 1
        gaps = []
        for step in steps:
            if step.sampled is None:
                continue
            text = self.texts[step.request_id]
            if not step.forced:
                logits = plain_logits(self.reference, text)[-1]
                gap = gap_of(step.sampled, logits, self.jobs[step.request_id], self.fixed_lengths)
                gaps.append(LogitGap(self.tick, step.request_id, len(text) - 1, step.sampled, gap))
            text.append(step.sampled)
        return gaps


def gap_of(token_id: int, logits: torch.Tensor, job: Job, fixed_lengths: bool) -> float:
    """By how much a token's logit misses the largest of the logits [vocabulary] of what could be sampled."""
    if fixed_lengths and job.request.eos_token_id is not None:
        logits[job.request.eos_token_id] = -torch.inf
    return float(logits.max() - logits[token_id])


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
