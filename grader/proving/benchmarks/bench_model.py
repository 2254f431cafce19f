"""`make bench-model`: the model's speed beside transformers' on one workload, in one run.

32 requests, outputs of 4 to 95 tokens, 8 slots, the shape of SmolLM2-135M with the same random weights on both sides,
float32, 2 threads by default. Ours is as `load_model` makes it, with packed weights; theirs is as it comes. Every
system serves the workload several times, in turns; what counts is the median of the ratios within a round. The last
table says what a tick costs beside its matrix products.
"""

import argparse
import importlib
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

from batching_lab import Job, SchedulerConfig, Trace
from batching_lab.harness import Harness, Policy, Workload
from batching_lab.model import executor as executor_module
from batching_lab.model.config import ModelConfig
from batching_lab.model.kv_cache import KVCache
from batching_lab.model.llama import Llama
from batching_lab.model.loading.checkpoint import hugging_face_name
from batching_lab.model.loading.load import load_model
from batching_lab.model.timing.timed import timed_run, with_random_prompts
from batching_lab.submission.loading import Submission
from batching_lab.tables import format_table
from batching_lab.timing.stopwatch import Stopwatch
from batching_lab.workloads.pool import blocks_for_all_slots
from batching_lab.workloads.synthetic import synthetic_jobs
from grader.paths import SOLUTION

NUM_JOBS, NUM_SLOTS, BLOCK_SIZE, SEED, NUM_THREADS = 32, 8, 16, 0, 2

# name -> least ratio of output tokens a second: continuous batching here to that
GOALS = {"static batching": 1.9, "transformers, continuous": 1.5, "transformers, static": 1.8}
MOST_OVERHEAD = 0.10

System = Callable[[], float]  # serves the workload once and returns the seconds


def ours(llama: Llama, jobs: list[Job], policy: Policy) -> float:
    """Seconds that this lab's model takes for the jobs."""
    num_blocks = blocks_for_all_slots(jobs, NUM_SLOTS, BLOCK_SIZE)
    workload = Workload(policy, jobs, SchedulerConfig(NUM_SLOTS), num_blocks, BLOCK_SIZE)

    def serve(workload: Workload, watch: Stopwatch) -> Trace:
        return Harness(Submission(SOLUTION)).serve(workload, watch)

    start = time.perf_counter()
    timed_run(llama, workload, serve)
    return time.perf_counter() - start


# -- transformers


def their_model(llama: Llama) -> Any:
    """Their `LlamaForCausalLM` with our weights."""
    transformers: Any = importlib.import_module("transformers")
    config: ModelConfig = llama.config
    theirs = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.hidden_size,
            intermediate_size=config.intermediate_size,
            num_hidden_layers=config.num_layers,
            num_attention_heads=config.num_heads,
            num_key_value_heads=config.num_kv_heads,
            head_dim=config.head_dim,
            max_position_embeddings=config.context_length,
            rms_norm_eps=config.rms_norm_eps,
            rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
            tie_word_embeddings=config.tie_word_embeddings,
            bos_token_id=None,
            eos_token_id=None,
            attn_implementation="sdpa",
        )
    )
    weights = {hugging_face_name(name): weight.to_dense() for name, weight in llama.named_parameters()}
    missing, unexpected = theirs.load_state_dict(weights, strict=False)
    assert not unexpected and missing in ([], ["lm_head.weight"]), (missing, unexpected)
    theirs.tie_weights()
    return theirs.eval()


def their_static(theirs: Any, jobs: list[Job]) -> float:
    """`generate` on batches of as many requests as there are slots; each runs as long as its longest."""
    start = time.perf_counter()
    for first in range(0, len(jobs), NUM_SLOTS):
        batch = jobs[first : first + NUM_SLOTS]
        longest = max(len(job.request.prompt_token_ids) for job in batch)
        padding = [longest - len(job.request.prompt_token_ids) for job in batch]
        prompts = [[0] * pad + list(job.request.prompt_token_ids) for pad, job in zip(padding, batch, strict=True)]
        mask = [[0] * pad + [1] * (longest - pad) for pad in padding]
        num_tokens = max(job.num_output_tokens for job in batch)
        with torch.inference_mode():
            theirs.generate(
                torch.tensor(prompts),
                attention_mask=torch.tensor(mask),
                max_new_tokens=num_tokens,
                min_new_tokens=num_tokens,
                do_sample=False,
                pad_token_id=0,
            )
    return time.perf_counter() - start


def their_continuous(theirs: Any, jobs: list[Job], num_slots: int = NUM_SLOTS) -> float:
    """Their continuous batching with as many requests at once as there are slots."""
    transformers: Any = importlib.import_module("transformers")
    config = importlib.import_module("transformers.generation.configuration_utils").ContinuousBatchingConfig
    page_size = "page_size" if hasattr(config, "page_size") else "block_size"  # by version
    settings = config(
        max_requests_per_batch=num_slots,
        **{page_size: BLOCK_SIZE},
        num_blocks=2 * blocks_for_all_slots(jobs, num_slots, BLOCK_SIZE),
        max_batch_tokens=1024,
        allow_block_sharing=False,
    )
    generation = transformers.GenerationConfig(do_sample=False, eos_token_id=-1, pad_token_id=0)
    with theirs.continuous_batching_context_manager(generation, continuous_batching_config=settings) as manager:
        start = time.perf_counter()
        for job in jobs:
            manager.add_request(
                list(job.request.prompt_token_ids), job.request.request_id, job.num_output_tokens, eos_token_id=-1
            )
        num_tokens = 0
        for _ in jobs:
            num_tokens += len(next_result(manager).generated_tokens)
        seconds = time.perf_counter() - start
    assert num_tokens == sum(job.num_output_tokens for job in jobs)
    return seconds


def next_result(manager: Any) -> Any:
    while True:
        result = manager.get_result(timeout=1)
        if result is not None and result.is_finished():
            if result.error:
                raise RuntimeError(f"transformers' continuous batching failed: {result.error}")
            return result
        if result is None and not manager.is_running():
            raise RuntimeError("transformers' continuous batching has ended without an answer")


# -- overhead


@contextmanager
def clocked(owner: Any, name: str, times: dict[str, float]) -> Iterator[None]:
    """While it lasts, the time spent in a function or method is added up."""
    function = getattr(owner, name)

    def timed(*arguments: Any, **options: Any) -> Any:
        start = time.perf_counter()
        try:
            return function(*arguments, **options)
        finally:
            times[name] = times.get(name, 0.0) + time.perf_counter() - start

    setattr(owner, name, timed)
    try:
        yield
    finally:
        setattr(owner, name, function)


def overhead(llama: Llama, jobs: list[Job]) -> list[tuple[str, ...]]:
    """What building tables and gathering keys and values takes of all the time in the executor."""
    times: dict[str, float] = {}
    with (
        clocked(executor_module, "make_batch", times),
        clocked(executor_module, "make_step", times),
        clocked(KVCache, "read", times),
        clocked(KVCache, "write", times),
        clocked(executor_module.ModelExecutor, "execute", times),
    ):
        ours(llama, jobs, "continuous")
    total = times.pop("execute")
    names = {
        "make_step": "steps from the schedule",
        "make_batch": "tables, masks, slots",
        "read": "gathering keys and values",
        "write": "storing keys and values",
    }
    rows = [(names[name], f"{seconds / total:.1%}") for name, seconds in times.items()]
    share = sum(times.values()) / total
    verdict = "met" if share < MOST_OVERHEAD else "missed"
    return [*rows, ("in all", f"{share:.1%} (goal: below {MOST_OVERHEAD:.0%}, {verdict})")]


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader bench-model`; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m grader bench-model", description="The model's speed beside transformers'."
    )
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="default: 3")
    parser.add_argument("--threads", type=int, default=NUM_THREADS, metavar="N", help=f"default: {NUM_THREADS}")
    options = parser.parse_args(arguments)
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    torch.set_num_threads(options.threads)
    llama = load_model("smollm2-random").llama
    jobs = with_random_prompts(synthetic_jobs("mixed", NUM_JOBS, SEED), llama.config.vocab_size, SEED)
    systems: dict[str, System] = {
        "continuous batching": lambda: ours(llama, jobs, "continuous"),
        "static batching": lambda: ours(llama, jobs, "static"),
    }
    try:
        theirs = their_model(llama)
    except ImportError:
        print('transformers is not installed, so it is not compared: pip install -e ".[parity]"')
    else:
        systems["transformers, continuous"] = lambda: their_continuous(theirs, jobs)
        systems["transformers, static"] = lambda: their_static(theirs, jobs)
    num_tokens = sum(job.num_output_tokens for job in jobs)
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    print(f"{len(jobs)} requests, {num_tokens} output tokens, {NUM_SLOTS} slots" + load, flush=True)
    ours(llama, jobs[:NUM_SLOTS], "continuous")  # warm
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    for number in range(options.rounds):
        for name in list(systems) if number % 2 == 0 else reversed(systems):
            seconds[name].append(systems[name]())
            print(f"round {number + 1}: {name}: {seconds[name][-1]:.1f} s", flush=True)
    rows = []
    for name, times in seconds.items():
        ratios = [theirs / ours for theirs, ours in zip(times, seconds["continuous batching"], strict=True)]
        ratio, goal = statistics.median(ratios), GOALS.get(name)
        verdict = "" if goal is None else f"at least {goal}: {'met' if ratio >= goal else 'missed'}"
        rows.append((name, f"{num_tokens / statistics.median(times):.0f}", f"{ratio:.2f}", verdict))
    print(f"\n{format_table(('system', 'output tokens/s', 'continuous batching is faster by', 'goal'), rows)}")
    print(f"\n{format_table(('beside the matrix products', 'share of a tick'), overhead(llama, jobs))}")
    return 0
