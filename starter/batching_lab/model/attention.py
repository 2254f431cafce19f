"""Attention over the paged KV cache, and the plain kind that it must agree with.

A tick mixes sequences that compute one token (decodes) with ones that compute many (prefill chunks). All decodes
go through one padded attention; each chunk goes through its own. Padding everything to the longest chunk would
compute mostly padding.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from batching_lab.model.kv_cache import KVCache


@dataclass(frozen=True)
class Rows:
    """Rows of a tick that attend together: B sequences with T tokens each, L slots to look at.

    start, end    which of the tick's N tokens they are; end - start = B * T
    block_tables  [B, L / block_size]; where a sequence has fewer blocks, any block stands in and is masked
    mask          [B, T, L], added to the scores: 0 for what a token may see, -inf for the rest
    """

    start: int
    end: int
    block_tables: Tensor
    mask: Tensor


@dataclass(frozen=True)
class PagedAttention:
    """The attention of one tick: store the new keys and values, then attend through the block tables.

    slots  where each of the N tokens' keys and values go [N]
    rows   what attends together; between them they cover all N tokens
    """

    cache: KVCache
    slots: Tensor
    rows: list[Rows]

    def __call__(self, layer: int, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        self.cache.write(layer, self.slots, keys, values)  # first, since a token attends to itself, too
        outputs = []
        for rows in self.rows:
            row_queries = queries[rows.start : rows.end].unflatten(0, (len(rows.block_tables), -1))
            row_keys, row_values = self.cache.read(layer, rows.block_tables)
            outputs.append(grouped_attention(row_queries, row_keys, row_values, rows.mask).flatten(0, 1))
        return outputs[0] if len(outputs) == 1 else torch.cat(outputs)


def grouped_attention(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor) -> Tensor:
    """Attention with H query heads over K KV heads.

    queries       [B, T, H, S]
    keys, values  [B, L, K, S]
    mask          [B, T, L]
    returns       [B, T, H, S]

    The G = H / K query heads that share a KV head are laid out as G * T queries of one head: so keys and
    values are read once, not copied G times.
    """
    batch, num_tokens, num_heads, head_dim = queries.shape
    num_kv_heads = keys.shape[2]
    group_size = num_heads // num_kv_heads
    queries = queries.unflatten(2, (num_kv_heads, group_size)).permute(0, 2, 3, 1, 4)  # [B, K, G, T, S]
    outputs = F.scaled_dot_product_attention(
        queries.reshape(batch, num_kv_heads, group_size * num_tokens, head_dim),
        keys.transpose(1, 2),
        values.transpose(1, 2),
        attn_mask=(mask.repeat(1, group_size, 1) if num_tokens > 1 else mask).unsqueeze(1),  # one row serves them all
    )
    outputs = outputs.unflatten(2, (group_size, num_tokens)).permute(0, 3, 1, 2, 4)  # [B, T, K, G, S]
    return outputs.reshape(batch, num_tokens, num_heads, head_dim)


def plain_attention(layer: int, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Causal attention of whole sequences [..., T, heads, S]: no cache, no blocks, nothing to get wrong."""
    queries, keys, values = (heads.transpose(-2, -3) for heads in (queries, keys, values))
    outputs = F.scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=True)
    return outputs.transpose(-2, -3)
