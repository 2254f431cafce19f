"""Part 6 on the CPU: its workloads hold what they should, and a message about a block is true of the real KV cache."""

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")

import torch
from torch import Tensor

from batching_lab import RuleViolation
from batching_lab.harness import Harness, Workload
from batching_lab.model.attention import plain_attention
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.graphs import StepGraphs
from batching_lab.model.judging import judge
from batching_lab.model.llama import Llama
from batching_lab.submission.loading import Submission
from batching_lab.trace import Trace
from grader.hidden import model_runs
from grader.hidden.model_runs import check_model_runs, micro
from grader.paths import SOLUTION
from grader.proving.fault import Fault
from grader.proving.helpers import RIGHT_SUBMISSIONS, slow_after
from grader.proving.wrong import all_faults, write_submission

RUNS = {
    name: getattr(model_runs, name)
    for name in (
        *("STATIC_BATCHES", "WHOLE_PROMPTS", "CHUNKS", "PREEMPTION"),
        *("RECOMPUTED_CHUNKS", "HANG_UPS", "BLOCK_SIZES", "STORIES"),
    )
}
FAULTS = [fault for fault in all_faults() if fault.part == "6-cpu"]


def traces(name: str) -> list[Trace]:
    return [judge.serve_and_judge(Harness(Submission(SOLUTION)), workload, micro()).trace for workload in RUNS[name]]


def num_preempted(runs: list[Trace]) -> int:
    return sum(len(tick.preempted) for trace in runs for tick in trace.ticks)


def test_workloads_preempt_chunk_and_hang_up() -> None:
    assert num_preempted(traces("PREEMPTION")) >= 3
    assert num_preempted(traces("RECOMPUTED_CHUNKS")) >= 10
    assert num_preempted(traces("STORIES")) >= 1
    hang_ups = traces("HANG_UPS")
    aborted = [record for trace in hang_ups for record in trace.requests.values() if record.status == "aborted"]
    assert {bool(record.token_ticks) for record in aborted} == {True, False}  # in the answer, and before it
    assert {workload.block_size for workload in RUNS["BLOCK_SIZES"]} == set(range(1, 17))


def test_no_two_prompts_begin_alike() -> None:
    """So no block may be shared, and any block of somebody else's is a fault."""
    for workloads in RUNS.values():
        for workload in workloads:
            first = [job.request.prompt_token_ids[0] for job in workload.jobs]
            assert len(set(first)) == len(first)


@pytest.mark.parametrize("folder", slow_after(2, RIGHT_SUBMISSIONS, lambda path: path.name))
def test_right_submissions_pass(folder: Path) -> None:
    for workloads in RUNS.values():
        check_model_runs(Harness(Submission(folder)), workloads[:2])


class Recorder(ModelExecutor):
    """Keeps the last layer's KV cache as it was after each tick."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.keys: list[Tensor] = []
        self.texts = {request_id: list(job.request.prompt_token_ids) for request_id, job in self.jobs.items()}

    def execute(self, *args: Any) -> dict[str, int]:
        sampled = super().execute(*args)
        self.keys.append(self.cache.keys[-1].clone())
        for request_id, token_id in sampled.items():
            self.texts[request_id].append(token_id)
        return sampled


@torch.inference_mode()
def right_keys(model: Llama, token_ids: list[int]) -> Tensor:
    """The last layer's keys [T, K, S] of a text, from a plain forward pass."""
    kept: list[Tensor] = []

    def attention(layer: int, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        kept.append(keys)
        return plain_attention(layer, queries, keys, values)

    model(torch.tensor(token_ids), torch.arange(len(token_ids)), attention)
    return kept[-1]


def test_without_a_fault_every_slot_holds_the_right_keys() -> None:
    """The control for the test below."""
    workload = RUNS["STORIES"][0]
    recorder = Recorder(micro(), workload.jobs, workload.num_blocks, workload.block_size, log=True)
    Harness(Submission(SOLUTION)).serve(workload, recorder)
    right = {request_id: right_keys(micro(), token_ids) for request_id, token_ids in recorder.texts.items()}
    for tick, steps in enumerate(judge.log_of(recorder).ticks):
        for step in steps:
            slots = recorder.keys[tick][list(step.block_table)].flatten(0, 1)[: step.end]
            assert float((slots - right[step.request_id][: step.end]).abs().max()) < 0.001


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_the_named_slot_holds_other_keys(fault: Fault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Request, position and block of the message, looked up in the real cache at the end of the named tick."""
    executors: list[Recorder] = []

    def recorder(workload: Workload, model: Llama, graphs: StepGraphs | None) -> ModelExecutor:
        executors.append(Recorder(model, workload.jobs, workload.num_blocks, workload.block_size, log=True))
        return executors[-1]

    monkeypatch.setattr(judge, "logging_executor", recorder)
    workload = RUNS["STORIES"][1]
    with pytest.raises(RuleViolation) as raised:
        judge.serve_and_judge(Harness(Submission(write_submission(fault, tmp_path / "copy"))), workload, micro())
    assert raised.value.rule == "kv_content"
    told = re.match(
        r"(\w+) reads its position (\d+)(?: in block (\d+), which .+|, for which its table)", raised.value.what
    )
    assert told is not None, raised.value.what
    request_id, position = told[1], int(told[2])
    recorded = executors[1]  # the second run, in which the checks take note
    wanted = right_keys(micro(), recorded.texts[request_id])[position]
    keys = recorded.keys[raised.value.tick - 1]
    if told[3] is not None:
        assert float((keys[int(told[3]), position % workload.block_size] - wanted).abs().max()) > 0.01
    else:
        blocks = keys[:-1]  # but for the spill block, which belongs to nobody: it is nowhere
        assert float((blocks - wanted).abs().amax(dim=(-1, -2)).min()) > 0.01
