"""The paged engine agrees with a plain forward pass, however a run is cut into ticks."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")

import torch

from batching_lab import Job, Request, RuleViolation, SchedulerConfig
from batching_lab.errors import ModelError
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.judging.logits import LogitCheck, find_logit_faults, logit_gaps, plain_logits
from batching_lab.model.judging.shadow import find_kv_faults
from grader.proving.fakes.model import RUNS, ShuffledAllocator, random_jobs, run, run_kind, tiny_model


@pytest.mark.parametrize("shuffled", [False, True], ids=["in-order", "shuffled"])
@pytest.mark.parametrize("kind", RUNS)
def test_logits_equal_a_plain_forward_pass(kind: str, shuffled: bool) -> None:
    model, jobs = tiny_model(), random_jobs(seed=1, spread=0 if kind in ("whole", "recomputed") else 3)
    trace, executor = run_kind(kind, model, jobs, shuffled)
    num_preemptions = sum(len(tick.preempted) for tick in trace.ticks)
    assert (num_preemptions > 0) == (kind == "recomputed")
    texts, logits = executor.texts(), executor.logits_of()
    for job in jobs:
        first = len(job.request.prompt_token_ids) - 1
        text = texts[job.request.request_id]
        expected = plain_logits(model, text[:-1])[first:]
        torch.testing.assert_close(logits[job.request.request_id], expected, atol=1e-4, rtol=0)
    assert find_kv_faults(executor.run_log, jobs) == []
    assert find_logit_faults(model, executor.run_log, jobs, tolerance=1e-4) == []


def test_a_tick_mixes_decodes_and_chunks() -> None:
    _, executor = run_kind("mixed", tiny_model(), random_jobs(seed=1), shuffled=True)
    kinds = [{step.num_tokens > 1 for step in steps} for steps in executor.run_log.ticks]
    assert {True, False} in kinds


def job(prompt_len: int, max_tokens: int, output_len: int | None = None, eos_token_id: int | None = None) -> Job:
    return Job(Request("A", tuple(range(prompt_len)), max_tokens, eos_token_id), output_len=output_len)


def outputs(executor: ModelExecutor) -> list[int]:
    assert executor.log is not None
    return [step.sampled for steps in executor.log.ticks for step in steps if step.sampled is not None]


@pytest.mark.parametrize("output_len", [1, 4, 9])
def test_the_end_of_sequence_comes_at_the_true_length(output_len: int) -> None:
    model = tiny_model()
    _, free = run(ModelExecutor, model, [job(5, 12)], SchedulerConfig(1), ShuffledAllocator(8, 4), log=True)
    likely = outputs(free)[1]  # a token that this model would generate early: it must not end the text there
    jobs = [job(5, 12, output_len, likely)]
    _, executor = run(ModelExecutor, model, jobs, SchedulerConfig(1), ShuffledAllocator(8, 4), log=True)
    assert [token == likely for token in outputs(executor)] == [False] * (output_len - 1) + [True]
    assert find_logit_faults(model, executor.log, jobs, tolerance=1e-4) == []


def test_a_job_of_full_length_ends_without_end_of_sequence() -> None:
    model = tiny_model()
    _, free = run(ModelExecutor, model, [job(5, 12)], SchedulerConfig(1), ShuffledAllocator(8, 4), log=True)
    likely = outputs(free)[3]
    _, executor = run(
        ModelExecutor, model, [job(5, 12, 12, likely)], SchedulerConfig(1), ShuffledAllocator(8, 4), log=True
    )
    assert len(outputs(executor)) == 12
    assert likely not in outputs(executor)


def test_without_fixed_lengths_the_model_ends_its_text() -> None:
    model = tiny_model()
    _, free = run(ModelExecutor, model, [job(5, 12)], SchedulerConfig(1), ShuffledAllocator(8, 4), log=True)
    eos = outputs(free)[3]
    _, executor = run(
        ModelExecutor,
        model,
        [job(5, 12, None, eos)],
        SchedulerConfig(1),
        ShuffledAllocator(8, 4),
        log=True,
        fixed_lengths=False,
    )
    assert outputs(executor) == outputs(free)[: outputs(free).index(eos) + 1]


def test_live_logit_check_raises_in_the_tick() -> None:
    """A reference with other weights disagrees at once; the model itself does not."""
    model, jobs = tiny_model(), random_jobs(seed=5)
    judges = [LogitCheck(model, jobs, fixed_lengths=True)]
    run(ModelExecutor, model, jobs, SchedulerConfig(4), ShuffledAllocator(80, 4), judges=judges)
    judges = [LogitCheck(tiny_model(seed=1), jobs, fixed_lengths=True)]
    with pytest.raises(RuleViolation, match=r"Tick 1: r0 sampled token \d+ after its position \d+, whose logit is"):
        run(ModelExecutor, model, jobs, SchedulerConfig(4), ShuffledAllocator(80, 4), judges=judges)


def test_live_and_later_gaps_are_the_same() -> None:
    model, other, jobs = tiny_model(), tiny_model(seed=1), random_jobs(seed=5)
    _, executor = run(ModelExecutor, model, jobs, SchedulerConfig(4), ShuffledAllocator(80, 4), log=True)
    check = LogitCheck(other, jobs, fixed_lengths=True)
    live = [gap for steps in executor.log.ticks for gap in check.gaps_in(steps)]
    later = logit_gaps(other, executor.log, jobs)
    assert {(gap.tick, gap.request_id, gap.position, gap.token_id) for gap in live} == {
        (gap.tick, gap.request_id, gap.position, gap.token_id) for gap in later
    }
    assert max(gap.gap for gap in live) == pytest.approx(max(gap.gap for gap in later), abs=1e-3)
    assert len(live) == sum(job.num_output_tokens for job in jobs)


def test_half_precision_stays_within_the_tolerance() -> None:
    jobs = random_jobs(seed=2)
    half = tiny_model()
    for parameter in half.parameters():
        parameter.data = parameter.data.half()
    _, executor = run(ModelExecutor, half, jobs, SchedulerConfig(4, 9, True), ShuffledAllocator(80, 4), log=True)
    assert half.rope_frequencies.dtype == torch.float32
    assert find_logit_faults(tiny_model(), executor.log, jobs, tolerance=0.25) == []  # logits of this model reach 30


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (Job(Request("A", (1,) * 250, 8)), "need a context of 257 tokens, but the model has 256"),
        (Job(Request("A", (1, 101), 3)), "token 101 is not one of the model's 101 tokens"),
        (Job(Request("A", (1,), 3, eos_token_id=257)), "token 257 is not one of the model's 101 tokens"),
    ],
)
def test_a_job_that_the_model_can_not_serve_is_refused(bad: Job, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        ModelExecutor(tiny_model(), [bad], 100, 4)


def test_exactly_the_context_is_served() -> None:
    ModelExecutor(tiny_model(), [Job(Request("A", (1,) * 249, 8))], 100, 4)


def test_a_pool_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ModelError, match=r"no memory on cpu for 1000000000000 KV blocks of 4 tokens: 1024000\.0 GB"):
        ModelExecutor(tiny_model(), [], 10**12, 4)


def test_importing_the_library_does_not_import_torch() -> None:
    code = "import sys, batching_lab, batching_lab.commands.cli; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
