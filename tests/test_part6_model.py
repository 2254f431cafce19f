"""Part 6, on the CPU: your two files serve the micro model; what it reads through your tables is checked slot by slot.

The ticks are not compared here; the rules that hold at every tick are. Jobs A, B, C, D have the texts below as prompts,
a token for each byte: 29, 19, 14 and 23 tokens. The pool has `num_blocks` blocks of `block_size` tokens each.
"""

from typing import Any

from batching_lab import Job, Request, SchedulerConfig
from batching_lab.harness import Harness, Workload, require
from batching_lab.trace import Trace

TEXTS = ("At seven Mara lights the oven", "The train to Lisbon", "In the library", "Behind the harbour wall")


def serve_texts(lab: Harness, jobs: list[Job], num_blocks: int, block_size: int, **config: Any) -> Trace:
    """Serve the jobs with the micro model; fails at the first slot that holds what its reader does not expect."""
    from batching_lab.model.judging.judge import serve_and_judge  # only here: it imports PyTorch
    from batching_lab.model.loading.load import load_model

    policy = config.pop("policy", "continuous")
    workload = Workload(policy, jobs, SchedulerConfig(**config), num_blocks, block_size)
    return serve_and_judge(lab, workload, load_model("micro").llama).trace


def text_jobs(max_tokens: int, arrival: int = 0, **options: Any) -> list[Job]:
    """A job for each text, named A, B, C, D. Its tokens are the text's bytes."""
    return [
        Job(Request(name, tuple(text.encode()), max_tokens), arrival * number, **options)
        for number, (name, text) in enumerate(zip("ABCD", TEXTS, strict=True))
    ]


def test_model_under_static_batching(lab: Harness) -> None:
    """Two batches of two texts, the second in blocks that the first has left."""
    serve_texts(lab, text_jobs(max_tokens=8), num_blocks=20, block_size=4, policy="static", max_num_seqs=2)


def test_model_chunks_and_decodes(lab: Harness) -> None:
    """Prompts in chunks of at most 8 beside decodes: each chunk reads what the chunks before it have stored."""
    serve_texts(
        lab,
        text_jobs(max_tokens=8, arrival=2),
        num_blocks=20,
        block_size=5,
        max_num_seqs=3,
        max_num_batched_tokens=12,
        enable_chunked_prefill=True,
        prefill_chunk_size=8,
    )


def test_model_with_preemptions(lab: Harness) -> None:
    """A pool that is too small for everybody: victims compute their texts again, into other blocks."""
    trace = serve_texts(
        lab, text_jobs(max_tokens=12), num_blocks=15, block_size=4, max_num_seqs=3, kv_policy="max_utilization"
    )
    require(
        any(tick.preempted for tick in trace.ticks),
        "nobody was preempted, though the pool is too small for the texts of A, B and C together",
    )


def test_model_hang_up(lab: Harness) -> None:
    """All clients hang up after tick 5, while they decode or wait; one that comes later gets their blocks."""
    late = Job(Request("E", tuple(b"Nobody leaves the table"), 8), arrival=5)
    serve_texts(lab, [*text_jobs(max_tokens=9, abort_at=5), late], num_blocks=16, block_size=3, max_num_seqs=2)
