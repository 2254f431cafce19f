"""The shape of a Llama-family model, read from a Hugging Face config.json."""

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


def read_config(data: Mapping[str, Any]) -> ModelConfig:
    """The contents of a config.json as a `ModelConfig`. Raises `ModelError` for what is not supported."""
    model_type = data.get("model_type")
    if model_type not in ("llama", "mistral"):
        raise ModelError(f"the architecture {model_type!r} is not supported; llama and mistral are")
    for name, neutral in NOT_SUPPORTED.items():
        if data.get(name, neutral) not in (neutral, None):
            raise ModelError(f"{name} = {data[name]!r} is not supported")
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
            rms_norm_eps=float(data.get("rms_norm_eps", 1e-6)),
            rope_theta=float(rope_settings(data).get("rope_theta", 10_000.0)),
            rope_scaling=read_rope_scaling(rope_settings(data)),
            tie_word_embeddings=bool(data.get("tie_word_embeddings", False)),
        )
    except KeyError as error:
        raise ModelError(f"config.json has no {error}") from None
    except (TypeError, ValueError, ZeroDivisionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"config.json holds a value that can't be used: {error}") from None


def rope_settings(data: Mapping[str, Any]) -> dict[str, Any]:
    """The RoPE settings: older files spread them, newer ones keep them in `rope_parameters`."""
    settings = {"rope_theta": data["rope_theta"]} if "rope_theta" in data else {}
    for name in ("rope_scaling", "rope_parameters"):
        settings |= data.get(name) or {}
    return settings


def read_rope_scaling(settings: Mapping[str, Any]) -> RopeScaling:
    kind = settings.get("rope_type") or settings.get("type") or "default"
    if kind == "default":
        return RopeScaling()
    if kind == "linear":
        return RopeScaling("linear", float(settings["factor"]))
    if kind == "llama3":
        return RopeScaling(
            "llama3",
            float(settings["factor"]),
            float(settings["low_freq_factor"]),
            float(settings["high_freq_factor"]),
            int(settings["original_max_position_embeddings"]),
        )
    raise ModelError(f"the RoPE scaling {kind!r} is not supported; linear and llama3 are")
