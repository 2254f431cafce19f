"""What `python -m grader gpu-check` measures: numbers only; gpu_check.py judges them."""

import contextlib
import functools
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from batching_lab.model.graphs import Bucket
from batching_lab.model.judging.logits import plain_logits
from batching_lab.model.loading.load import load_model
from batching_lab.model.run_log import Step
from grader.gpu.engine import Engine, ragged_logits
from grader.gpu.stage import StageOptions, grade_on_gpu
from grader.gpu.stage_report import StageReport
from grader.grading.options import GradingOptions
from grader.grading.result import Result
from grader.paths import SOLUTION
from grader.proving.benchmarks import bench_model
from grader.proving.helpers import make_submission

REPEATS = 20
MOST_EAGER_REPEATS = 5
NUM_TEXTS, NUM_DRAWN_TOKENS = 4, 24
PROFILED_ROWS = 32

Texts = list[list[int]]


@dataclass(frozen=True)
class BucketParity:
    """A full tick from a bucket's graph beside the same tick as a ragged batch.

    largest_change  of a logit
    std_of_logits   standard deviation of the ragged batch's
    same_token      share of the rows whose most likely token is the same
    """

    num_rows: int
    num_blocks: int
    largest_change: float
    std_of_logits: float
    same_token: float


@torch.inference_mode()
def bucket_parities(engine: Engine) -> list[BucketParity]:
    """Of every bucket, on the same cache full of random keys and values; it is empty again afterwards."""
    cache, graphs = engine.graphs.cache, engine.graphs
    generator = torch.Generator(device=cache.device).manual_seed(1)
    for pool in (*cache.keys, *cache.values):  # layer by layer: a whole pool in float32 may not fit
        pool.normal_(generator=generator)
    rng = random.Random(1)
    found = []
    for bucket in graphs.graphs:
        steps = full_tick(rng, bucket, engine)
        batch = graphs.prepare(steps)
        assert batch is not None and batch.bucket == bucket
        padded = graphs.run(batch).float().clone()
        ragged = ragged_logits(graphs, steps).float()
        found.append(
            BucketParity(
                bucket.num_rows,
                bucket.num_blocks,
                largest_change=float((padded - ragged).abs().max()),
                std_of_logits=float(ragged.std()),
                same_token=float((padded.argmax(-1) == ragged.argmax(-1)).float().mean()),
            )
        )
    cache.keys.zero_()
    cache.values.zero_()
    return found


@dataclass(frozen=True)
class CpuParity:
    """The logits of some texts, for each a tensor [tokens, vocabulary].

    on_cpu    in float32 on the CPU, a text at once
    plain     the same on the device
    replayed  token by token from the device's graphs
    """

    on_cpu: list[torch.Tensor]
    plain: list[torch.Tensor]
    replayed: list[torch.Tensor]


@torch.inference_mode()
def cpu_parity(engine: Engine) -> CpuParity:
    """Of the beginnings of `NUM_TEXTS` prompts, and `NUM_DRAWN_TOKENS` random tokens after each."""
    on_cpu = load_model(engine.model_name).llama
    rng = random.Random(2)
    texts = [
        [*job.request.prompt_token_ids, *(rng.randrange(on_cpu.config.vocab_size) for _ in range(NUM_DRAWN_TOKENS))]
        for job in engine.cases[0].workload.jobs[:NUM_TEXTS]
    ]
    return CpuParity(
        on_cpu=[plain_logits(on_cpu, text) for text in texts],
        plain=[plain_logits(engine.reference, text).cpu() for text in texts],
        replayed=[torch.stack(rows) for rows in token_by_token(engine, texts)],
    )


def token_by_token(engine: Engine, texts: Texts) -> list[list[torch.Tensor]]:
    """Of each text the logits after each of its tokens, from ticks that compute one token of every text."""
    graphs, block_size = engine.graphs, engine.graphs.cache.block_size
    num_blocks = -(-max(map(len, texts)) // block_size)
    logits: list[list[torch.Tensor]] = [[] for _ in texts]
    for position in range(max(map(len, texts))):
        live = [number for number, text in enumerate(texts) if position < len(text)]
        tables = {number: tuple(range(number * num_blocks, (number + 1) * num_blocks)) for number in live}
        batch = graphs.prepare(
            [Step(f"t{number}", position, (texts[number][position],), tables[number], True) for number in live]
        )
        assert batch is not None
        for number, row in zip(live, graphs.run(batch).float().cpu(), strict=True):
            logits[number].append(row.clone())
    return logits


def largest_change(expected: list[torch.Tensor], got: list[torch.Tensor]) -> float:
    """Of any logit."""
    return max(float((left - right).abs().max()) for left, right in zip(expected, got, strict=True))


def share_of_same_tokens(expected: list[torch.Tensor], got: list[torch.Tensor]) -> float:
    """Of all rows, those whose most likely token is the same."""
    same = [left.argmax(-1) == right.argmax(-1) for left, right in zip(expected, got, strict=True)]
    return float(torch.cat(same).float().mean())


@dataclass(frozen=True)
class BucketTimes:
    """A full tick: replayed, computed anew in the same shape, and as a ragged batch.

    floor_s  seconds that the memory's bandwidth allows at best; None if it is not known
    """

    num_rows: int
    num_blocks: int
    replayed_ms: float
    anew_ms: float
    ragged_ms: float
    floor_s: float | None


@torch.inference_mode()
def bucket_times(engine: Engine) -> list[BucketTimes]:
    """Of every bucket, by context and rows."""
    graphs = engine.graphs
    rng = random.Random(3)
    found = []
    for bucket in sorted(graphs.graphs, key=lambda bucket: (bucket.num_blocks, bucket.num_rows)):
        steps = full_tick(rng, bucket, engine)
        batch = graphs.prepare(steps)
        assert batch is not None
        replay, eager = functools.partial(graphs.run, batch), functools.partial(ragged_logits, graphs, steps)
        found.append(
            BucketTimes(
                bucket.num_rows,
                bucket.num_blocks,
                replayed_ms=milliseconds(engine, replay, REPEATS),
                anew_ms=milliseconds(engine, graphs.work(bucket), MOST_EAGER_REPEATS),
                ragged_ms=milliseconds(engine, eager, MOST_EAGER_REPEATS),
                floor_s=engine.floor_seconds([sum(step.end for step in steps)]),
            )
        )
    return found


def milliseconds(engine: Engine, work: Callable[[], object], repeats: int) -> float:
    """The median, each with a wait for its end: as a tick waits for its tokens."""
    times = []
    for _ in range(repeats + 2):
        engine.synchronize()
        start = time.perf_counter()
        work()
        engine.synchronize()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times[2:])


def quick_stage(engine: Engine, changes: list[tuple[str, str, str]]) -> tuple[Result, StageReport]:
    """The whole stage, with --quick, on the solution with these changes (file, old text, new text)."""
    with changed_solution(changes) as folder:
        options = StageOptions(is_quick=True, grading=GradingOptions(isolation="best"))
        return grade_on_gpu(folder, engine, options)


@contextlib.contextmanager
def changed_solution(changes: list[tuple[str, str, str]]) -> Generator[Path]:
    """A folder with the changed solution, gone afterwards; without changes the solution itself."""
    if not changes:
        yield SOLUTION
        return
    with tempfile.TemporaryDirectory() as folder:
        yield make_submission(Path(folder, "submission"), changes)


def their_tokens_per_second(engine: Engine) -> float:
    """Output tokens a second of transformers' continuous batching, on the first workload and with as many slots."""
    workload = engine.cases[0].workload
    llama = load_model(engine.model_name).llama
    theirs = bench_model.their_model(llama).to(engine.llama.device, engine.llama.dtype)
    for _ in range(2):  # the first time is their warm-up
        seconds = bench_model.their_continuous(theirs, workload.jobs, workload.config.max_num_seqs)
    return sum(job.num_output_tokens for job in workload.jobs) / seconds


@dataclass(frozen=True)
class Kernels:
    """Of one tick; on a processor operations. longest: (name, how often, microseconds in all), the longest first."""

    count: int
    us: float
    longest: list[tuple[str, int, float]]


def kernels_of_a_tick(engine: Engine) -> dict[str, Kernels]:
    """A tick of `PROFILED_ROWS` decodes: "graph" and "eager"."""
    graphs = engine.graphs
    largest = min(PROFILED_ROWS, graphs.rows[-1])
    bucket = next(bucket for bucket in graphs.graphs if bucket.num_rows == largest)
    steps = full_tick(random.Random(4), bucket, engine)
    batch = graphs.prepare(steps)
    assert batch is not None
    return {
        "graph": profiled(engine, functools.partial(graphs.run, batch)),
        "eager": profiled(engine, functools.partial(ragged_logits, graphs, steps)),
    }


def profiled(engine: Engine, work: Callable[[], object]) -> Kernels:
    """The kernels, or on a processor the operations, of one piece of work."""
    on_gpu = engine.llama.device.type == "cuda"
    kinds = [torch.profiler.ProfilerActivity.CPU, *([torch.profiler.ProfilerActivity.CUDA] if on_gpu else [])]
    with torch.profiler.profile(activities=kinds) as profiler, torch.inference_mode():
        work()
        engine.synchronize()
    kind = "CUDA" if on_gpu else "CPU"
    events = [
        (event.key, event.count, microseconds_of(event, on_gpu))
        for event in profiler.key_averages()
        if event.device_type.name == kind
        and not event.is_user_annotation  # else a kernel counts twice, with its operation
    ]
    events = sorted((event for event in events if event[2] > 0), key=lambda event: -event[2])
    return Kernels(sum(count for _, count, _ in events), sum(spent for _, _, spent in events), events)


def microseconds_of(event: Any, on_gpu: bool) -> float:
    """Of an event of the profiler, without what it called."""
    return float(event.self_device_time_total if on_gpu else event.self_cpu_time_total)


def full_tick(rng: random.Random, bucket: Bucket, engine: Engine) -> list[Step]:
    """As many decodes as a bucket has rows, with contexts that need all of its blocks, as far as the pool reaches."""
    cache, vocab_size = engine.graphs.cache, engine.llama.config.vocab_size
    free = list(range(cache.num_blocks))
    rng.shuffle(free)
    steps = []
    for row in range(bucket.num_rows):
        num_blocks = min(bucket.num_blocks, len(free) - (bucket.num_rows - row - 1))
        table = tuple(free.pop() for _ in range(num_blocks))
        position = min(num_blocks * cache.block_size, engine.llama.config.context_length) - 1
        steps.append(Step(f"r{row}", position, (rng.randrange(vocab_size),), table, samples=True))
    return steps
