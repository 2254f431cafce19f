"""Turns the steps of one tick into tensors: one ragged batch, decodes and prefill chunks mixed."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from batching_lab.model.attention import PagedAttention, Rows
from batching_lab.model.kv_cache import KVCache
from batching_lab.model.run_log import Step


@dataclass(frozen=True)
class Batch:
    """The N tokens of one tick.

    token_ids, positions  [N]
    attention             where their keys and values go, and what they may look at
    last_tokens           which of the N are the last known token of a sequence, in the order of the steps [R]
    """

    token_ids: Tensor
    positions: Tensor
    attention: PagedAttention
    last_tokens: Tensor


def make_batch(steps: Iterable[Step], cache: KVCache) -> Batch:
    """The batch that computes these steps (at least one): all decodes first, then chunk by chunk."""
    steps = list(steps)
    decodes = [step for step in steps if step.num_tokens == 1]
    chunks = [[step] for step in steps if step.num_tokens > 1]
    groups = [decodes, *chunks] if decodes else chunks

    rows, positions, slots = [], [], []
    last_token = {}  # request id -> which of the N tokens is its last
    start = 0
    for group in groups:
        group_positions = positions_of(group)
        block_tables = block_tables_of(group, cache)
        num_tokens = group_positions.size
        positions.append(group_positions.ravel())
        slots.append(slots_of(group_positions, block_tables, cache.block_size).ravel())
        rows.append(
            Rows(
                start,
                start + num_tokens,
                on_device(block_tables, cache),
                on_device(mask_of(group_positions, block_tables.shape[1] * cache.block_size), cache).to(cache.dtype),
            )
        )
        for number, step in enumerate(group, start=1):
            last_token[step.request_id] = start + number * step.num_tokens - 1
        start += num_tokens

    token_ids = np.array([token_id for group in groups for step in group for token_id in step.token_ids])
    last_tokens = np.array([last_token[step.request_id] for step in steps if step.samples], dtype=np.int64)
    return Batch(
        on_device(token_ids, cache),
        on_device(np.concatenate(positions), cache),
        PagedAttention(cache, on_device(np.concatenate(slots), cache), rows),
        on_device(last_tokens, cache),
    )


def positions_of(group: list[Step]) -> np.ndarray:
    """Positions [B, T] of the tokens of B steps with T tokens each."""
    starts = np.array([step.start for step in group])
    return starts[:, np.newaxis] + np.arange(group[0].num_tokens)


def block_tables_of(group: list[Step], cache: KVCache) -> np.ndarray:
    """The block tables of B steps [B, blocks of the longest], filled up with the spill block.

    The spill block also stands in for a block that a table lacks or that does not exist.
    """
    num_blocks = max(-(-step.end // cache.block_size) for step in group)
    filling = (cache.spill_block,) * num_blocks
    block_tables = np.array([(step.block_table + filling)[:num_blocks] for step in group])
    block_tables[(block_tables < 0) | (block_tables > cache.spill_block)] = cache.spill_block
    return block_tables


def slots_of(positions: np.ndarray, block_tables: np.ndarray, block_size: int) -> np.ndarray:
    """The slot of each position [B, T]: its block in the sequence's table, and its place in the block."""
    blocks = np.take_along_axis(block_tables, positions // block_size, axis=1)
    slots: np.ndarray = blocks * block_size + positions % block_size
    return slots


def mask_of(positions: np.ndarray, num_slots: int) -> np.ndarray:
    """[B, T, L]: a token at position p sees positions 0 to p; what a table holds behind them is masked."""
    return np.where(np.arange(num_slots) <= positions[..., np.newaxis], np.float32(0), np.float32(-np.inf))


def on_device(array: np.ndarray, cache: KVCache) -> Tensor:
    """The array as a tensor where the KV cache is."""
    return torch.from_numpy(array).to(cache.device)
