"""The shape of a Llama-family model, read from a Hugging Face config.json."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from batching_lab.config import require_int
from batching_lab.errors import ModelError


@dataclass(frozen=True)
class RopeScaling:
    """How positions are stretched to reach a longer context than the model was trained with first.

    kind  "default": not at all; "linear": every position divided by `factor`; "llama3": slow rotations
          divided by `factor`, fast ones kept, those between blended
    """

    kind: str = "default"
    factor: float = 1.0
    low_freq_factor: float = 1.0
    high_freq_factor: float = 4.0
    original_context: int = 8192


@dataclass(frozen=True)
class ModelConfig:
    """The numbers that define a model. Raises `ModelError` for numbers that no model can have."""

    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    context_length: int
    rms_norm_eps: float = 1e-5
    rope_theta: float = 10_000.0
    rope_scaling: RopeScaling = field(default_factory=RopeScaling)
    tie_word_embeddings: bool = False

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if name.startswith(("num", "vocab", "hidden", "intermediate", "head", "context")):
                try:
                    require_int(name, value, 1)
                except ValueError as error:
                    raise ModelError(f"the model's configuration is wrong: {error}") from None
        if self.num_heads % self.num_kv_heads:
            raise ModelError(f"{self.num_heads} query heads can't share {self.num_kv_heads} KV heads evenly")
        if self.head_dim % 2:
            raise ModelError(f"head_dim must be even, since RoPE turns pairs, not {self.head_dim}")

    @property
    def group_size(self) -> int:
        """Query heads that share one KV head."""
        return self.num_heads // self.num_kv_heads


SMOLLM2 = ModelConfig(
    vocab_size=49_152,
    hidden_size=576,
    intermediate_size=1536,
    num_layers=30,
    num_heads=9,
    num_kv_heads=3,
    head_dim=64,
    context_length=8192,
    rope_theta=100_000.0,
    tie_word_embeddings=True,
)

# Settings that change what a model computes, with the value at which they change nothing.
NOT_SUPPORTED = {
    "attention_bias": False,
    "mlp_bias": False,
    "hidden_act": "silu",
    "sliding_window": None,
    "quantization_config": None,
    "num_local_experts": None,
    "partial_rotary_factor": 1.0,
}
MODEL_TYPES = ("llama", "mistral")
# What Hugging Face takes for a setting that a config.json leaves out, where that is not what changes nothing.
LEFT_OUT = {"mistral": {"sliding_window": 4096}}
ROPE_SETTINGS = {
    "rope_type",
    "type",
    "rope_theta",
    "factor",
    "low_freq_factor",
    "high_freq_factor",
    "original_max_position_embeddings",
}


def read_config(data: Mapping[str, Any]) -> ModelConfig:
    """The contents of a config.json as a `ModelConfig`. Raises `ModelError` for what is not supported."""
    model_type = data.get("model_type")
    if model_type not in MODEL_TYPES:
        raise ModelError(f"the architecture {model_type!r} is not supported; {' and '.join(MODEL_TYPES)} are")
    for name, value in LEFT_OUT.get(model_type, {}).items():
        if name not in data:
            raise ModelError(f"config.json has no {name}: {model_type} then means {value}, which is not supported")
    for name, neutral in NOT_SUPPORTED.items():
        if data.get(name, neutral) not in (neutral, None):
            raise ModelError(f"{name} = {data[name]!r} is not supported")
    tied = data.get("tie_word_embeddings")
    if not (tied is None or isinstance(tied, bool)):
        raise ModelError(f"tie_word_embeddings must be true or false, not {tied!r}")
    try:
        return ModelConfig(
            vocab_size=data["vocab_size"],
            hidden_size=data["hidden_size"],
            intermediate_size=data["intermediate_size"],
            num_layers=data["num_hidden_layers"],
            num_heads=data["num_attention_heads"],
            num_kv_heads=data.get("num_key_value_heads") or data["num_attention_heads"],
            head_dim=data.get("head_dim") or data["hidden_size"] // data["num_attention_heads"],
            context_length=data["max_position_embeddings"],
            rms_norm_eps=positive("rms_norm_eps", data.get("rms_norm_eps", 1e-6)),
            rope_theta=positive("rope_theta", rope_settings(data).get("rope_theta", 10_000.0)),
            rope_scaling=read_rope_scaling(rope_settings(data)),
            tie_word_embeddings=bool(tied),
        )
    except KeyError as error:
        raise ModelError(f"config.json has no {error}") from None
    except (TypeError, ValueError, ZeroDivisionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"config.json holds a value that can't be used: {error}") from None


def rope_settings(data: Mapping[str, Any]) -> dict[str, Any]:
    """The RoPE settings: older files spread them, newer ones keep them in `rope_parameters`."""
    old, new = data.get("rope_scaling"), data.get("rope_parameters")
    if old and new and old != new:
        raise ModelError("config.json has a rope_scaling and other rope_parameters, and only one of them can hold")
    settings: dict[str, Any] = {"rope_theta": data["rope_theta"]} if "rope_theta" in data else {}
    settings |= old or new or {}
    original_context = "original_max_position_embeddings"
    return settings | ({original_context: data[original_context]} if original_context in data else {})


def read_rope_scaling(settings: Mapping[str, Any]) -> RopeScaling:
    """How RoPE stretches positions. Raises `ModelError` for what is not supported, `ValueError` for a wrong number."""
    kind = settings.get("rope_type") or settings.get("type") or "default"
    if kind not in ("default", "linear", "llama3"):
        raise ModelError(f"the RoPE scaling {kind!r} is not supported; linear and llama3 are")
    for name, value in settings.items():
        if name not in ROPE_SETTINGS and value not in (None, NOT_SUPPORTED.get(name)):
            raise ModelError(f"the RoPE setting {name} = {value!r} is not supported")
    if kind == "default":
        return RopeScaling()
    if kind == "linear":
        return RopeScaling("linear", positive("factor", settings["factor"]))
    low, high = (positive(name, settings[name]) for name in ("low_freq_factor", "high_freq_factor"))
    if low == high:
        raise ValueError(f"low_freq_factor and high_freq_factor are both {low:g}, but must differ")
    context = int(positive("original_max_position_embeddings", settings["original_max_position_embeddings"]))
    return RopeScaling("llama3", positive("factor", settings["factor"]), low, high, context)


def positive(name: str, value: Any) -> float:
    """Raises `ValueError` for what is no number above 0."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise ValueError(f"{name} must be a number above 0, not {value!r}")
    return float(value)
