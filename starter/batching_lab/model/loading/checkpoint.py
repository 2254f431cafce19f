"""Reads a Hugging Face folder: config.json, and weights in one or many safetensors files."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from batching_lab.errors import ModelError
from batching_lab.model.config import ModelConfig
from batching_lab.model.llama import Llama

WHOLE = "model.safetensors"
INDEX = "model.safetensors.index.json"
HEAD = "lm_head.weight"
EMBEDDING = "model.embed_tokens.weight"
DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)  # whose numbers are the weights themselves


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object. Raises `ModelError` that names the file."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"can't read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # not UTF-8, or not JSON
        raise ModelError(f"{path} is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ModelError(f"{path} does not hold a JSON object")
    return data


def stale_index(folder: Path) -> str:
    """A sentence if a folder holds its weights whole and an index of shards, too."""
    whole, index = folder / WHOLE, folder / INDEX
    if not (whole.is_file() and index.is_file()):
        return ""
    return f"{folder} holds both {WHOLE} and {INDEX}: the weights are read from the first, as transformers does"


def read_weights(folder: Path) -> dict[str, Tensor]:
    """All tensors of a folder by their names. A whole file counts before an index of shards."""
    index = folder / INDEX
    if (folder / WHOLE).is_file() or not index.is_file():
        return read_safetensors(folder / WHOLE)
    weight_map = read_json(index).get("weight_map")
    if not isinstance(weight_map, dict) or not all(isinstance(name, str) for name in weight_map.values()):
        raise ModelError(f"{index} has no weight_map from tensors to files")
    weights: dict[str, Tensor] = {}
    for file_name in sorted(set(weight_map.values())):
        shard = read_safetensors(folder / Path(file_name).name)
        for name in shard.keys() & weights.keys():
            if not same_values(shard[name], weights[name]):
                raise ModelError(f"{folder}: two shards hold different values of the tensor {name}")
        weights |= shard
    return weights


def same_values(first: Tensor, second: Tensor) -> bool:
    """Do they hold the same numbers, in the same shape? Their formats may differ."""
    if first.dtype != second.dtype:
        first, second = first.double(), second.double()
    return torch.equal(first, second)


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """Name -> tensor. Raises `ModelError` for a file that is missing or damaged."""
    try:
        from safetensors import SafetensorError
        from safetensors.torch import load_file
    except ImportError:
        raise ModelError('reading weights needs a package: pip install "batching-lab[model]"') from None
    if not path.is_file():
        raise ModelError(f"{path.parent} has no {path.name}")
    path.open("rb").close()  # the package says of a file that it may not read that there is none
    try:
        weights: dict[str, Tensor] = load_file(path)
    except (SafetensorError, OSError) as error:
        raise ModelError(f"{path} is damaged or no safetensors file: {error}") from None
    return weights


class NoInitialWeights(TorchFunctionMode):
    """Leaves new weights as they are. On the device meta, to initialise them would import PyTorch's compiler: 2 s."""

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if getattr(function, "__module__", None) == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return function(*args, **kwargs)


def model_without_weights(config: ModelConfig) -> Llama:
    """Names and shapes only: no memory and no random numbers for weights that are replaced at once."""
    with NoInitialWeights(), torch.device("meta"):
        return Llama(config)


def build_model(
    config: ModelConfig, weights: Mapping[str, Tensor], where: str, device: torch.device, dtype: torch.dtype
) -> Llama:
    """The model with these weights. Raises `ModelError` for a tensor that is missing, misshapen or left over.

    A head of its own counts, also where the configuration calls it tied: so Hugging Face reads such a file.
    """
    if has_own_head(config, weights):
        config = replace(config, tie_word_embeddings=False)
    model = model_without_weights(config)
    expected = {hugging_face_name(name): name for name, _ in model.named_parameters()}
    for name in expected.keys() - weights.keys():
        raise ModelError(f"{where}: the tensor {name} is missing")
    for name in weights.keys() - expected.keys():
        if name != HEAD and not name.endswith("rotary_emb.inv_freq"):  # neither adds anything
            raise ModelError(f"{where}: the tensor {name} has no place in this architecture")
    parameters = dict(model.named_parameters())
    for name, own_name in expected.items():
        if weights[name].shape != parameters[own_name].shape:
            found, wanted = tuple(weights[name].shape), tuple(parameters[own_name].shape)
            raise ModelError(f"{where}: the tensor {name} has the shape {found}, not {wanted}")
        if weights[name].dtype not in DTYPES:
            raise ModelError(f"{where}: the tensor {name} is quantised ({weights[name].dtype}), which is not supported")
    model.load_state_dict(
        {own_name: weights[name].to(device, dtype) for name, own_name in expected.items()}, assign=True
    )
    return model.to(device).requires_grad_(False).eval()


def has_own_head(config: ModelConfig, weights: Mapping[str, Tensor]) -> bool:
    """Is there a head that differs from the embedding, though the configuration says that they are the same?"""
    head, embedding = weights.get(HEAD), weights.get(EMBEDDING)
    return (
        config.tie_word_embeddings and head is not None and embedding is not None and not same_values(head, embedding)
    )


def hugging_face_name(name: str) -> str:
    """The name in a checkpoint of one of `Llama`'s parameters."""
    return name if name.startswith("lm_head.") else f"model.{name}"
