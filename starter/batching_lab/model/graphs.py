"""Small ticks in fixed shapes, recorded once and replayed: what makes them fast on a GPU.

A tick with a few decodes is some hundreds of short kernels, and Python takes longer to launch them than a GPU to run
them. A CUDA graph is launched at once, but its shapes and addresses are frozen. So a tick is padded to the next larger
*bucket*, its inputs are copied into fixed buffers, and rows that belong to nobody write into the spill block.

Every token is a row with a block table of its own: a decode is one row, a chunk of m tokens m rows of the same table.
All keys and values are stored before anything is read, so each row sees those before it. That reads a chunk's context
m times; ticks larger than the largest bucket are left to `make_batch`, which reads it once.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from batching_lab.model.attention import PagedAttention, Rows
from batching_lab.model.kv_cache import KVCache
from batching_lab.model.llama import Llama
from batching_lab.model.run_log import Step

ROWS = (1, 2, 4, 8, 16, 24, 32, 48, 64)
SHORTEST_CONTEXT = 128


@dataclass(frozen=True)
class Bucket:
    """A shape: so many rows, so many blocks in the table of each."""

    num_rows: int
    num_blocks: int


@dataclass(frozen=True)
class PaddedBatch:
    """A tick whose inputs stand in the buffers.

    last_rows  the rows of the last known tokens, in the order of the steps
    """

    bucket: Bucket
    last_rows: list[int]


class Graph(Protocol):
    """Work that was recorded with all its addresses."""

    def replay(self) -> object:
        """Do the work again, with what stands in the buffers now."""
        ...


Capture = Callable[[Callable[[], None]], Graph]


@dataclass(frozen=True)
class Eager:
    """No graph: the work is done anew each time. For processors, and to compare with."""

    replay: Callable[[], None]


class CudaCapture:
    """Records CUDA graphs, which share one pool of memory for what they compute on the way."""

    def __init__(self) -> None:
        self.pool = torch.cuda.graph_pool_handle()
        self.stream = torch.cuda.Stream()

    def __call__(self, work: Callable[[], None]) -> Graph:
        self.stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self.stream):
            for _ in range(2):  # libraries set themselves up at their first calls, which can't be recorded
                work()
        torch.cuda.current_stream().wait_stream(self.stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self.pool, stream=self.stream):
            work()
        return graph


class StepGraphs:
    """One graph a bucket, over one model and one KV cache. The largest comes first: the others fit into its memory.

    inputs, staging  of a tick of N rows with W blocks each, on the device and on the host [3 N + N W]: token ids,
                     positions, slots, block tables
    logits           what comes out [most rows, vocabulary]
    """

    def __init__(
        self, llama: Llama, cache: KVCache, max_rows: int, max_context: int, capture: Capture | None = None
    ) -> None:
        """For ticks of up to `max_rows` tokens and contexts of up to `max_context`.

        capture  None: CUDA graphs on a GPU, none elsewhere
        """
        self.llama = llama
        self.cache = cache
        self.rows = sizes_up_to(max_rows, ROWS)
        contexts = [SHORTEST_CONTEXT]
        while contexts[-1] < max_context:
            contexts.append(2 * contexts[-1])
        self.blocks = [-(-context // cache.block_size) for context in contexts]
        largest = Bucket(self.rows[-1], self.blocks[-1])
        num_inputs = largest.num_rows * (3 + largest.num_blocks)
        on_gpu = cache.device.type == "cuda"
        self.staging = torch.zeros(num_inputs, dtype=torch.int64, pin_memory=on_gpu)
        self.inputs = torch.zeros(num_inputs, dtype=torch.int64, device=cache.device)
        self.copied = torch.cuda.Event() if on_gpu else None  # has the GPU taken over what was staged last?
        self.places = torch.arange(largest.num_blocks * cache.block_size, device=cache.device)
        self.logits = torch.zeros(largest.num_rows, llama.config.vocab_size, device=cache.device, dtype=llama.dtype)
        self.staged: Bucket | None = None
        self.staged_tables: list[tuple[int, ...] | None] = []
        self.graphs = self.record(capture or (CudaCapture() if on_gpu else Eager))

    @torch.inference_mode()
    def record(self, capture: Capture) -> dict[Bucket, Graph]:
        """One graph a bucket."""
        graphs = {}
        for num_rows in reversed(self.rows):
            for num_blocks in reversed(self.blocks):
                bucket = Bucket(num_rows, num_blocks)
                self.stage([], bucket)
                self.inputs.copy_(self.staging)
                graphs[bucket] = capture(self.work(bucket))
        return graphs

    def work(self, bucket: Bucket) -> Callable[[], None]:
        """What is to be recorded for a bucket."""
        return lambda: self.compute(bucket)

    def compute(self, bucket: Bucket) -> None:
        """What is recorded: from the inputs to the logits, with nothing that the host would have to wait for."""
        num_rows, num_places = bucket.num_rows, bucket.num_blocks * self.cache.block_size
        token_ids, positions, slots, block_tables = parts(self.inputs, bucket)
        mask = torch.zeros(num_rows, num_places, device=self.cache.device, dtype=self.cache.dtype)
        mask.masked_fill_(self.places[:num_places] > positions.unsqueeze(1), -torch.inf)
        attention = PagedAttention(self.cache, slots, [Rows(0, num_rows, block_tables, mask.unsqueeze(1))])
        hidden = self.llama(token_ids, positions, attention)
        self.logits[:num_rows].copy_(self.llama.logits(hidden))

    def prepare(self, steps: list[Step]) -> PaddedBatch | None:
        """Stage the inputs of a tick; None if no bucket is large enough."""
        num_blocks = max(-(-step.end // self.cache.block_size) for step in steps)
        bucket = self.bucket_for(sum(step.num_tokens for step in steps), num_blocks)
        if bucket is None:
            return None
        self.stage(steps, bucket)
        last_rows, row = [], -1
        for step in steps:
            row += step.num_tokens
            if step.samples:
                last_rows.append(row)
        return PaddedBatch(bucket, last_rows)

    def bucket_for(self, num_rows: int, num_blocks: int) -> Bucket | None:
        """The smallest bucket for so many rows, with so many blocks in the longest table; None if all are too small."""
        if num_rows > self.rows[-1] or num_blocks > self.blocks[-1]:
            return None
        return Bucket(
            next(size for size in self.rows if size >= num_rows),
            next(size for size in self.blocks if size >= num_blocks),
        )

    def stage(self, steps: Iterable[Step], bucket: Bucket) -> None:
        """Write a tick's inputs into the staging buffer; tables that stand there since the last tick are left alone."""
        if self.copied is not None:
            self.copied.synchronize()
        token_ids, positions, slots, block_tables = parts(self.staging.numpy(), bucket)
        rows = [
            (token_id, position, step.block_table)
            for step in steps
            for position, token_id in enumerate(step.token_ids, start=step.start)
        ]
        rows += [(0, 0, ())] * (bucket.num_rows - len(rows))
        if bucket != self.staged:
            self.staged, self.staged_tables = bucket, [None] * bucket.num_rows
        for row, (_, _, table) in enumerate(rows):
            if table != self.staged_tables[row]:
                self.staged_tables[row] = table
                block_tables[row] = self.usable(table, bucket.num_blocks)
        token_ids[:] = [token_id for token_id, _, _ in rows]
        positions[:] = [position for _, position, _ in rows]
        block_size = self.cache.block_size
        blocks = block_tables[np.arange(bucket.num_rows), positions // block_size]
        slots[:] = blocks * block_size + positions % block_size

    def usable(self, table: tuple[int, ...], num_blocks: int) -> np.ndarray:
        """A block table of this length; the spill block stands in for what is missing or does not exist."""
        spill_block = self.cache.spill_block
        blocks = np.full(num_blocks, spill_block)
        blocks[: len(table)] = table[:num_blocks]
        blocks[(blocks < 0) | (blocks > spill_block)] = spill_block
        return blocks

    def run(self, batch: PaddedBatch) -> Tensor:
        """Compute a staged tick; the logits [R, vocabulary] after each sequence's last known token."""
        num_inputs = batch.bucket.num_rows * (3 + batch.bucket.num_blocks)
        self.inputs[:num_inputs].copy_(self.staging[:num_inputs], non_blocking=True)
        if self.copied is not None:
            self.copied.record()
        self.graphs[batch.bucket].replay()
        num_last = len(batch.last_rows)
        if batch.last_rows == list(range(num_last)):
            return self.logits[:num_last]
        return self.logits[batch.last_rows]


def sizes_up_to(largest: int, sizes: tuple[int, ...]) -> list[int]:
    """Those below the largest that is needed, and that one, rounded up to the next of them if there is one."""
    below = [size for size in sizes if size < largest]
    return [*below, next((size for size in sizes if size >= largest), largest)]


def parts(buffer: Any, bucket: Bucket) -> tuple[Any, Any, Any, Any]:
    """Token ids, positions and slots [N], and block tables [N, W] of a bucket, as they lie in a buffer."""
    num_rows, num_blocks = bucket.num_rows, bucket.num_blocks
    return (
        buffer[:num_rows],
        buffer[num_rows : 2 * num_rows],
        buffer[2 * num_rows : 3 * num_rows],
        buffer[3 * num_rows : num_rows * (3 + num_blocks)].reshape(num_rows, num_blocks),
    )
