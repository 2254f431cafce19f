"""The paged KV cache: one pool of blocks a layer, read and written through block tables."""

import math

import torch
from torch import Tensor

from batching_lab.errors import ModelError
from batching_lab.model.config import ModelConfig


class KVCache:
    """Keys and values of all requests: num_blocks blocks of block_size slots in every layer.

    One block more, the spill block, takes what has no block of its own, so that a wrong block table spoils its
    request and not the process. It belongs to nobody.

    keys, values  one pool a layer [layers, num_blocks + 1, block_size, K, S]

    Raises `ModelError` if they don't fit into memory.
    """

    def __init__(
        self, config: ModelConfig, num_blocks: int, block_size: int, device: torch.device, dtype: torch.dtype
    ) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.spill_block = num_blocks
        self.device = device
        self.dtype = dtype
        # Zeros, not empty memory: a masked slot has weight 0, but 0 * NaN is NaN.
        shape = (config.num_layers, num_blocks + 1, block_size, config.num_kv_heads, config.head_dim)
        try:
            self.keys = torch.zeros(shape, device=device, dtype=dtype)
            self.values = torch.zeros(shape, device=device, dtype=dtype)
        except RuntimeError:
            gigabytes = 2 * math.prod(shape) * dtype.itemsize / 1e9
            raise ModelError(
                f"there is no memory on {device} for {num_blocks} KV blocks of {block_size} tokens: {gigabytes:.1f} GB"
            ) from None

    def write(self, layer: int, slots: Tensor, keys: Tensor, values: Tensor) -> None:
        """Store keys and values [N, K, S] in slots [N]; slot = block * block_size + offset."""
        self.keys[layer].flatten(0, 1).index_copy_(0, slots, keys)
        self.values[layer].flatten(0, 1).index_copy_(0, slots, values)

    def read(self, layer: int, block_tables: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values [B, L, K, S] of B sequences in token order, from block tables [B, L / block_size]."""
        blocks = block_tables.flatten()
        shape = (len(block_tables), -1, *self.keys.shape[3:])
        keys = self.keys[layer].index_select(0, blocks).view(shape)
        values = self.values[layer].index_select(0, blocks).view(shape)
        return keys, values
