"""Padded ticks compute what ragged ones do, in every bucket, and their work can be recorded."""

import gc
import random
from collections.abc import Callable
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")

import torch
from torch import Tensor

from batching_lab import Job, Request
from batching_lab.errors import ModelError
from batching_lab.model.batch import make_batch
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.graphs import ROWS, Bucket, Eager, StepGraphs
from batching_lab.model.judging.logits import plain_logits
from batching_lab.model.judging.shadow import find_kv_faults
from batching_lab.model.kv_cache import KVCache
from batching_lab.model.llama import Llama
from batching_lab.model.loading.load import random_model
from batching_lab.model.run_log import Step
from grader.proving.fakes.model import RUNS, TINY, VOCAB_SIZE, random_jobs, run_kind, tiny_model
from grader.proving.fakes.recorded_graph import NotRecordable, RecordedGraph

BLOCK_SIZE, NUM_BLOCKS = 16, 700


@pytest.fixture(scope="module")
def model() -> Llama:
    """Attention over long contexts, and large enough weights that a fault in it shows."""
    llama = random_model(replace(TINY, context_length=600), 3, torch.device("cpu"), torch.float32)
    for parameter in llama.parameters():
        if parameter.dim() > 1:
            parameter.mul_(10)
    return llama


def filled_cache(model: Llama, num_blocks: int = NUM_BLOCKS) -> KVCache:
    cache = KVCache(model.config, num_blocks, BLOCK_SIZE, model.device, model.dtype)
    generator = torch.Generator().manual_seed(1)
    for pool in (cache.keys, cache.values):
        pool.copy_(torch.randn(pool.shape, generator=generator))
    return cache


def fixed_tensors(model: Llama, cache: KVCache, graphs: StepGraphs) -> list[Tensor]:
    return [
        *model.parameters(),
        *model.buffers(),
        cache.keys,
        cache.values,
        graphs.inputs,
        graphs.places,
        graphs.logits,
    ]


def recorded(model: Llama, cache: KVCache, max_rows: int, max_context: int) -> StepGraphs:
    """Graphs that are recordings, made after the buffers that they are allowed to use."""
    graphs = StepGraphs(model, cache, max_rows, max_context)
    graphs.graphs = graphs.record(RecordedGraph.capture(fixed_tensors(model, cache, graphs)))
    return graphs


def random_steps(rng: random.Random, num_rows: int, context: int, num_blocks: int = NUM_BLOCKS) -> list[Step]:
    """Decodes and some small chunks, `num_rows` tokens in all; the longest ends at `context`."""
    free = list(range(num_blocks))
    rng.shuffle(free)
    steps: list[Step] = []
    while num_rows:
        num_tokens = min(rng.choice((1, 1, 1, 3)), num_rows)
        end = context if not steps else rng.randint(num_tokens, max(num_tokens, context // 8))
        table = tuple(free.pop() for _ in range(-(-end // BLOCK_SIZE)))
        token_ids = tuple(rng.randrange(VOCAB_SIZE) for _ in range(num_tokens))
        steps.append(Step(f"r{len(steps)}", end - num_tokens, token_ids, table, samples=rng.random() < 0.8))
        num_rows -= num_tokens
    return steps


@torch.inference_mode()
def ragged(model: Llama, cache: KVCache, steps: list[Step]) -> Tensor:
    batch = make_batch(steps, cache)
    hidden = model(batch.token_ids, batch.positions, batch.attention)
    return model.logits(hidden[batch.last_tokens])


@pytest.mark.parametrize("kind", ["eager", "recorded"])
def test_every_bucket_computes_what_the_ragged_batch_does(model: Llama, kind: str) -> None:
    padded_cache, ragged_cache = filled_cache(model), filled_cache(model)
    make: Callable[..., StepGraphs] = StepGraphs if kind == "eager" else recorded
    graphs = make(model, padded_cache, max(ROWS), 512)
    buckets = set()
    rng = random.Random(5)
    fewest = 1
    for num_rows in ROWS:
        for context, shortest in ((128, 1), (256, 129), (512, 257)):
            for rows, end in ((num_rows, context), (fewest, max(shortest, 3))):  # a full bucket, and a nearly empty one
                steps = random_steps(rng, rows, end)
                batch = graphs.prepare(steps)
                assert batch is not None
                buckets.add(batch.bucket)
                assert batch.bucket == Bucket(num_rows, context // BLOCK_SIZE)
                expected = ragged(model, ragged_cache, steps)
                torch.testing.assert_close(graphs.run(batch), expected, atol=2e-4, rtol=1e-4)
        fewest = num_rows + 1
    assert buckets == set(graphs.graphs)
    real = slice(0, NUM_BLOCKS)  # the spill block took what the padding wrote
    torch.testing.assert_close(padded_cache.keys[:, real], ragged_cache.keys[:, real], atol=2e-4, rtol=1e-4)


@pytest.mark.parametrize("kind", RUNS)
def test_runs_with_graphs_equal_a_plain_forward_pass(kind: str) -> None:
    model, jobs = tiny_model(), random_jobs(seed=1, spread=0 if kind in ("whole", "recomputed") else 3)
    graphs = recorded(model, KVCache(model.config, 100, 4, model.device, model.dtype), 16, 64)
    _, executor = run_kind(kind, model, jobs, shuffled=True, graphs=graphs)
    sizes = [sum(step.num_tokens for step in steps) for steps in executor.run_log.ticks]
    assert min(sizes) <= 16
    assert (max(sizes) > 16) == (kind == "whole"), "whole prompts take the ragged way"
    texts, logits = executor.texts(), executor.logits_of()
    for job in jobs:
        first = len(job.request.prompt_token_ids) - 1
        expected = plain_logits(model, texts[job.request.request_id][:-1])[first:]
        torch.testing.assert_close(logits[job.request.request_id], expected, atol=2e-4, rtol=0)
    assert find_kv_faults(executor.run_log, jobs) == []


def test_nothing_stays_of_the_tick_before(model: Llama) -> None:
    """Ticks of one bucket after another, with tables that stay, grow, move to another row or are replaced."""
    rng = random.Random(9)
    graphs = StepGraphs(model, filled_cache(model), 8, 256)
    steps = random_steps(rng, 7, 100)
    for _ in range(200):
        if rng.random() < 0.3:
            steps = random_steps(rng, rng.randint(1, 8), rng.choice((20, 100, 200)))
        elif rng.random() < 0.5:
            rng.shuffle(steps)
        else:
            changed = rng.randrange(len(steps))
            table = list(steps[changed].block_table)
            table[rng.randrange(len(table))] = rng.randrange(-2, NUM_BLOCKS + 3)
            steps[changed] = replace(steps[changed], block_table=tuple(table))
        batch = graphs.prepare(steps)
        assert batch is not None
        fresh = StepGraphs.__new__(StepGraphs)
        fresh.__dict__ |= graphs.__dict__ | {"staging": torch.full_like(graphs.staging, 77), "staged": None}
        fresh.prepare(steps)
        num_inputs = batch.bucket.num_rows * (3 + batch.bucket.num_blocks)
        assert torch.equal(graphs.staging[:num_inputs], fresh.staging[:num_inputs])


def test_a_table_that_names_no_block_spoils_its_own_request_only(model: Llama) -> None:
    cache = filled_cache(model)
    graphs = StepGraphs(model, cache, 4, 128)
    good = Step("good", 20, (5,), (3, 4), True)
    before = cache.keys.clone()
    for table in ((), (1,), (1, -7), (1, 10**6), (1, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9)):
        batch = graphs.prepare([good, Step("bad", 17, (6,), table, True)])
        assert batch is not None
        torch.testing.assert_close(graphs.run(batch)[:1], ragged(model, cache, [good]), atol=2e-4, rtol=1e-4)
    changed = (cache.keys[0] != before[0]).flatten(1).any(dim=1).nonzero().flatten().tolist()
    assert set(changed) <= {2, 4, NUM_BLOCKS}  # the good one's, the last bad table's, the spill block


def test_what_is_too_large_is_not_padded(model: Llama) -> None:
    graphs = StepGraphs(model, filled_cache(model), 4, 100)
    assert graphs.bucket_for(4, 8) == Bucket(4, 8)
    assert graphs.bucket_for(5, 8) is None
    assert graphs.bucket_for(4, 9) is None
    assert {bucket.num_rows for bucket in graphs.graphs} == {1, 2, 4}
    assert {bucket.num_rows for bucket in StepGraphs(model, graphs.cache, 100, 100).graphs} == {*ROWS, 100}


def test_the_work_leaves_nothing_allocated(model: Llama) -> None:
    cache = filled_cache(model)
    graphs = recorded(model, cache, 4, 128)
    references = [reference for graph in graphs.graphs.values() for reference in graph.forget()]  # type: ignore[attr-defined]
    gc.collect()
    assert len(references) > 100
    assert all(reference() is None for reference in references)


@pytest.mark.parametrize("fault", ["waits", "host memory", "fixed number"])
def test_the_strict_backend_notices(model: Llama, fault: str) -> None:
    """The test's own test: work that no CUDA graph could hold does not get through."""
    graphs = StepGraphs(model, filled_cache(model), 2, 128)
    largest = 0

    def work() -> None:
        nonlocal largest
        if fault == "waits":
            largest = int(graphs.inputs.max())
        elif fault == "host memory":
            graphs.inputs.add_(torch.ones_like(graphs.inputs, device="cpu") + torch.from_numpy(graphs.staging.numpy()))
        else:
            largest += 1
            graphs.inputs.fill_(largest)

    capture = RecordedGraph.capture([graphs.inputs])
    if fault != "fixed number":
        with pytest.raises(NotRecordable):
            capture(work)
        return
    graph, eager = capture(work), Eager(work)
    eager.replay()
    assert graphs.inputs[0] == 2
    graph.replay()
    assert graphs.inputs[0] == 1, "a replay runs what was recorded, not what Python would do now"


def test_graphs_of_another_model_or_cache_are_refused(model: Llama) -> None:
    graphs = StepGraphs(model, filled_cache(model), 2, 128)
    jobs = [Job(Request("A", (1, 2), 3))]
    ModelExecutor(model, jobs, NUM_BLOCKS, BLOCK_SIZE, graphs=graphs)
    for other, num_blocks, block_size in ((tiny_model(), 5, BLOCK_SIZE), (model, NUM_BLOCKS + 1, 16), (model, 5, 8)):
        with pytest.raises(ModelError, match="the graphs are of another model, or their cache has no"):
            ModelExecutor(other, jobs, num_blocks, block_size, graphs=graphs)
