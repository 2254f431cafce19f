"""How long the stage should take on GPUs that it was not run on: an estimate, from counted bytes and launches.

python -m grader estimate
"""

import argparse
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from batching_lab.harness import Harness
from batching_lab.model.config import SMOLLM2, ModelConfig
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.graphs import ROWS, Eager, StepGraphs
from batching_lab.model.kv_cache import KVCache
from batching_lab.model.llama import Llama
from batching_lab.model.run_log import RunLog, Step
from batching_lab.submission.loading import Submission
from batching_lab.tables import format_table
from grader.gpu.cases import BLOCK_SIZE, ON_CUDA, Size, StageCase, stage_cases
from grader.gpu.engine import MAX_ROWS
from grader.gpu.statistics import NUM_PAIRS, NUM_QUICK_PAIRS
from grader.paths import SOLUTION

BYTES_PER_NUMBER = 2
SHARE_OF_BANDWIDTH = 0.7  # that kernels of this size reach


@dataclass(frozen=True)
class Machine:
    """Assumptions, not measurements.

    bandwidth      bytes a second of the GPU's memory, by its data sheet
    node_us        for a kernel in a graph
    launch_us      for one that Python launches
    host_us        a tick, for the scheduler, its messages, the loop's checks, and the inputs
    """

    name: str
    bandwidth: float
    node_us: float
    launch_us: float
    host_us: float


MACHINES = (Machine("H200", 4.8e12, 1.8, 7.0, 800.0), Machine("T4", 3.2e11, 3.0, 12.0, 1500.0))


class LaunchCounter(TorchDispatchMode):
    """Counts the operations that compute something: about one kernel each."""

    count = 0

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        returned = [result.alias_info for result in operation._schema.returns]
        if not returned or any(alias is None or alias.is_write for alias in returned):
            self.count += 1
        return operation(*args, **(kwargs or {}))


def count_launches(num_layers: int = SMOLLM2.num_layers) -> int:
    """Kernels in a tick of decodes, with a model of as many layers; their sizes don't matter."""
    config = ModelConfig(8, 16, 16, num_layers, 2, 1, 8, 256, tie_word_embeddings=True)
    with torch.device("cpu"):
        llama = Llama(config).requires_grad_(False)
    cache = KVCache(config, 64, BLOCK_SIZE, torch.device("cpu"), torch.float32)
    graphs = StepGraphs(llama, cache, 2, 128, Eager)
    batch = graphs.prepare([Step(f"r{row}", 3, (1,), (row,), True) for row in range(2)])
    assert batch is not None
    with LaunchCounter() as counter, torch.inference_mode():
        graphs.run(batch)
    return counter.count


class Planner(ModelExecutor):
    """Keeps a run's log and computes nothing."""

    def __init__(self, case: StageCase) -> None:
        self.jobs = {job.request.request_id: job for job in case.workload.jobs}
        self.log = RunLog(case.workload.num_blocks or 0, BLOCK_SIZE, True)
        self.judges = ()

    def prepare(self, steps: list[Step]) -> Any:
        return None

    def forward(self, batch: Any) -> Any:
        return None

    def sample(self, steps: list[Step], logits: Any) -> None:
        for step in steps:
            step.sampled = 0 if step.samples else None


def seconds_of(log: RunLog, machine: Machine, num_launches: int, config: ModelConfig = SMOLLM2) -> float:
    """A run's ticks, one after the other."""
    num_weights = config.vocab_size * config.hidden_size + config.num_layers * (
        config.hidden_size * config.head_dim * 2 * (config.num_heads + config.num_kv_heads)
        + 3 * config.hidden_size * config.intermediate_size
    )
    kv_bytes = 2 * config.num_layers * config.num_kv_heads * config.head_dim * BYTES_PER_NUMBER
    total = 0.0
    for steps in log.ticks:
        num_rows, context = sum(step.num_tokens for step in steps), max((step.end for step in steps), default=0)
        in_graph = num_rows <= MAX_ROWS
        rows = next((size for size in ROWS if size >= num_rows), num_rows) if in_graph else len(steps)
        padded = 128
        while padded < context:
            padded *= 2
        num_bytes = num_weights * BYTES_PER_NUMBER + 3 * rows * padded * kv_bytes  # gathered, so written and read again
        launches = num_launches * (machine.node_us if in_graph else machine.launch_us) * 1e-6
        total += num_bytes / (machine.bandwidth * SHARE_OF_BANDWIDTH) + launches + machine.host_us * 1e-6
    return total


def estimate(machine: Machine, size: Size = ON_CUDA) -> dict[str, float]:
    """Seconds for one submission once the model is loaded, and the gain of continuous batching on long-short."""
    lab = Harness(Submission(SOLUTION))
    num_launches = count_launches()
    quick = full = gain = 0.0
    for case in stage_cases(size, 256):
        times = []
        for served in (case.workload, case.static):
            planner = Planner(case)
            lab.serve(served, planner)
            assert planner.log is not None
            times.append(seconds_of(planner.log, machine, num_launches))
        continuous, static = times
        gain = gain or static / continuous
        judged = continuous + len(case.workload.jobs) * num_launches * machine.launch_us * 1e-6  # a pass of each text
        own_static = static if case.name == "long-short" else 0.0
        quick += judged + own_static + NUM_QUICK_PAIRS * (2 * continuous + static)
        full += judged + own_static + NUM_PAIRS * (2 * continuous + static)
    return {"full": full, "quick": quick, "gain": gain}


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader estimate`; returns the exit status."""
    argparse.ArgumentParser(
        prog="python -m grader estimate", description="Estimate the GPU stage's time on GPUs that are not at hand."
    ).parse_args(arguments)
    rows = []
    for machine in MACHINES:
        seconds = estimate(machine)
        rows.append((machine.name, *(f"{seconds[name]:.0f}" for name in ("full", "quick")), f"{seconds['gain']:.1f}"))
    print(f"Estimated, not measured: {count_launches()} launches a tick, bytes of weights, keys and values.")
    print(format_table(("GPU", "seconds a submission", "with --quick", "static / continuous, long-short"), rows))
    print("A series that is not steady is measured once more; that takes up to twice as long.")
    return 0
