"""A Llama-family decoder. It computes keys, values and logits; where keys and values are kept, it leaves to others.

Shapes: N tokens at once, of one sequence or of many; D = hidden size; H query heads and K KV heads of size S.
Names of modules are those of Hugging Face checkpoints, so that weights load by name.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from batching_lab.model.config import ModelConfig

# (layer, queries [N, H, S], keys [N, K, S], values [N, K, S]) -> attention outputs [N, H, S]
Attention = Callable[[int, Tensor, Tensor, Tensor], Tensor]


class Llama(nn.Module):
    """Embedding, decoder layers, final norm, and the head that turns hidden states into logits."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.embed_tokens = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(DecoderLayer(config, number) for number in range(config.num_layers))
        self.norm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.lm_head: nn.Module | None = None  # tied: the embedding is the head, too
        if not config.tie_word_embeddings:
            self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)
        self.rope_frequencies: Tensor
        self.register_buffer("rope_frequencies", rope_frequencies(config), persistent=False)

    def forward(self, token_ids: Tensor, positions: Tensor, attention: Attention) -> Tensor:
        """The final hidden states [N, D] of tokens [N] at their positions [N]."""
        hidden: Tensor = self.embed_tokens(token_ids)
        rotation = rope_rotation(positions, self.rope_frequencies, hidden.dtype)
        for layer in self.layers:
            hidden = layer(hidden, rotation, attention)
        return self.norm(hidden)

    def logits(self, hidden: Tensor) -> Tensor:
        """A score for every token of the vocabulary [N, vocabulary] from hidden states [N, D]."""
        return F.linear(hidden, self.embed_tokens.weight) if self.lm_head is None else self.lm_head(hidden)

    @property
    def device(self) -> torch.device:
        """Where its weights are."""
        return self.embed_tokens.weight.device

    @property
    def dtype(self) -> torch.dtype:
        """The number format of its weights."""
        return self.embed_tokens.weight.dtype


class DecoderLayer(nn.Module):
    """Attention, then a feed-forward network; each reads a normalised copy and adds to the hidden state."""

    def __init__(self, config: ModelConfig, number: int) -> None:
        super().__init__()
        self.input_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.self_attn = SelfAttention(config, number)
        self.post_attention_layernorm = nn.RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.mlp = FeedForward(config)

    def forward(self, hidden: Tensor, rotation: tuple[Tensor, Tensor], attention: Attention) -> Tensor:
        """From hidden states [N, hidden] to those after this layer."""
        hidden = hidden + self.self_attn(self.input_layernorm(hidden), rotation, attention)
        return hidden + self.mlp(self.post_attention_layernorm(hidden))


class SelfAttention(nn.Module):
    """Grouped-query attention: H query heads share K KV heads, so the KV cache is H / K times smaller."""

    def __init__(self, config: ModelConfig, number: int) -> None:
        super().__init__()
        self.number = number
        self.head_dim = config.head_dim
        self.q_proj = nn.Linear(config.hidden_size, config.num_heads * config.head_dim, bias=False)
        self.k_proj = nn.Linear(config.hidden_size, config.num_kv_heads * config.head_dim, bias=False)
        self.v_proj = nn.Linear(config.hidden_size, config.num_kv_heads * config.head_dim, bias=False)
        self.o_proj = nn.Linear(config.num_heads * config.head_dim, config.hidden_size, bias=False)

    def forward(self, hidden: Tensor, rotation: tuple[Tensor, Tensor], attention: Attention) -> Tensor:
        """From hidden states [N, hidden] to what is added to them."""
        queries = self.q_proj(hidden).unflatten(-1, (-1, self.head_dim))
        keys = self.k_proj(hidden).unflatten(-1, (-1, self.head_dim))
        values = self.v_proj(hidden).unflatten(-1, (-1, self.head_dim))
        outputs = attention(self.number, rotate(queries, rotation), rotate(keys, rotation), values)
        return self.o_proj(outputs.flatten(-2))


class FeedForward(nn.Module):
    """SwiGLU: one projection gates another."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.up_proj = nn.Linear(config.hidden_size, config.intermediate_size, bias=False)
        self.down_proj = nn.Linear(config.intermediate_size, config.hidden_size, bias=False)

    def forward(self, hidden: Tensor) -> Tensor:
        """From hidden states [N, hidden] to what is added to them."""
        return self.down_proj(F.silu(self.gate_proj(hidden)) * self.up_proj(hidden))


# -- RoPE: a position is the angle by which pairs of a head's numbers are turned


def rope_frequencies(config: ModelConfig) -> Tensor:
    """Radians per position for each of a head's pairs [S / 2]: the first turns fastest."""
    exponents = torch.arange(0, config.head_dim, 2, dtype=torch.float32, device="cpu") / config.head_dim
    frequencies = 1.0 / config.rope_theta**exponents
    scaling = config.rope_scaling
    if scaling.kind == "linear":
        return frequencies / scaling.factor
    if scaling.kind == "llama3":
        turns = scaling.original_context * frequencies / (2 * math.pi)  # full turns in the original context
        kept = (turns - scaling.low_freq_factor) / (scaling.high_freq_factor - scaling.low_freq_factor)
        return torch.lerp(frequencies / scaling.factor, frequencies, kept.clamp(0, 1))
    return frequencies


def rope_rotation(positions: Tensor, frequencies: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Cosines and sines [N, 1, S] of the angles at positions [N]: the same for all heads and layers."""
    angles = positions[..., None] * frequencies  # float32 also for a half-precision model: angles grow large
    angles = torch.cat((angles, angles), dim=-1)[..., None, :]
    return angles.cos().to(dtype), angles.sin().to(dtype)


def rotate(heads: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    """Turn each head [N, heads, S]: number i of the first half and number i of the second are a pair."""
    cos, sin = rotation
    first, second = heads.chunk(2, dim=-1)
    return heads * cos + torch.cat((-second, first), dim=-1) * sin
