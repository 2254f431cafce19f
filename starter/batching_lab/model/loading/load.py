"""Finds a model by name or folder and loads it with its tokenizer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from batching_lab.errors import ModelError
from batching_lab.model.config import SMOLLM2, ModelConfig, read_config
from batching_lab.model.devices import machine_faults, usable_device
from batching_lab.model.llama import Llama
from batching_lab.model.loading.checkpoint import (
    HEAD,
    build_model,
    has_own_head,
    hugging_face_name,
    model_without_weights,
    read_json,
    read_weights,
    stale_index,
)
from batching_lab.model.loading.smollm2 import read_smollm2
from batching_lab.model.loading.tokenizer import ByteTokenizer, Tokenizer, load_subword_tokenizer
from batching_lab.model.packing import pack

MICRO = Path(__file__).parents[1] / "micro"
DTYPES = {"float32": torch.float32, "float16": torch.float16}


@dataclass(frozen=True)
class LoadedModel:
    """A model ready to run, and the tokenizer for its texts.

    notes  a sentence for each thing in its folder that could be meant in two ways
    """

    name: str
    llama: Llama
    tokenizer: Tokenizer
    notes: tuple[str, ...] = ()


def load_model(name: str, device: str = "cpu", dtype: torch.dtype = torch.float32, seed: int = 0) -> LoadedModel:
    """Load a model.

    name  "micro"           0.8 million parameters, part of this lab
          "smollm2"         SmolLM2-135M-Instruct, if the package that carries it is installed
          "smollm2-random"  its shape with random weights from `seed`: for timing, not for reading
          a folder          a Llama-family checkpoint of Hugging Face: config.json and safetensors

    Raises `ModelError` with one sentence for whatever stands in the way.
    """
    place = usable_device(device)
    with machine_faults():
        loaded = load_onto(place, name, dtype, seed)
        pack(loaded.llama)
    return loaded


def load_onto(place: torch.device, name: str, dtype: torch.dtype, seed: int) -> LoadedModel:
    """As `load_model`, on a device that can be used."""
    if name == "smollm2":
        weights, tokenizer = read_smollm2()
        return LoadedModel(name, build_model(SMOLLM2, weights, name, place, dtype), tokenizer)
    if name == "smollm2-random":
        return LoadedModel(name, random_model(SMOLLM2, seed, place, dtype), ByteTokenizer())
    folder = MICRO if name == "micro" else Path(name)
    try:
        if not folder.is_dir():
            raise ModelError(f"there is no model {name!r}: it must be micro, smollm2, smollm2-random or a folder")
        return load_folder(name, folder, place, dtype)
    except OSError as error:
        raise ModelError(f"can't read {error.filename or folder}: {error.strerror or error}") from None


def use_threads(num_threads: int | None, name: str) -> None:
    """Processor threads for a model. None: one for the micro model, on which more mostly wait for each other."""
    if num_threads is not None or name == "micro":
        torch.set_num_threads(num_threads or 1)


def load_folder(name: str, folder: Path, device: torch.device, dtype: torch.dtype) -> LoadedModel:
    """A model from a Hugging Face folder. Raises `ModelError` that names it."""
    data = read_json(folder / "config.json")
    try:
        config = read_config(data)
    except ModelError as error:
        raise ModelError(f"{folder}: {error}") from None
    weights = read_weights(folder)
    notes = [stale_index(folder)]
    if has_own_head(config, weights):
        notes.append(
            f"{folder}: tie_word_embeddings is true, but {HEAD} differs from the embedding: it is used, as "
            "transformers does"
        )
    model = build_model(config, weights, str(folder), device, dtype)
    return LoadedModel(name, model, folder_tokenizer(folder, data, config.vocab_size), tuple(filter(None, notes)))


def folder_tokenizer(folder: Path, data: dict[str, Any], vocab_size: int) -> Tokenizer:
    """The tokenizer of a folder whose config.json holds `data`. Raises `ModelError` for one that can't be used."""
    ends = end_token_ids(folder, data, vocab_size)
    if data.get("tokenizer") == "bytes":
        return ByteTokenizer(ends) if ends else ByteTokenizer()
    return load_subword_tokenizer(folder / "tokenizer.json", ends)


def end_token_ids(folder: Path, data: dict[str, Any], vocab_size: int) -> tuple[int, ...]:
    """The tokens that end a text: generation_config.json's, if it names any, else config.json's, each once."""
    generation = folder / "generation_config.json"
    found, where = read_json(generation).get("eos_token_id") if generation.is_file() else None, generation
    if found is None or found == []:
        found, where = data.get("eos_token_id"), folder / "config.json"
    token_ids = [] if found is None else found if isinstance(found, list) else [found]
    for token_id in token_ids:
        if type(token_id) is not int or not 0 <= token_id < vocab_size:
            raise ModelError(f"{where}: eos_token_id {token_id!r} is not one of the model's {vocab_size} tokens")
    return tuple(dict.fromkeys(token_ids))


def random_model(config: ModelConfig, seed: int, device: torch.device, dtype: torch.dtype) -> Llama:
    """A model with small random weights, the same for the same seed."""
    generator = torch.Generator().manual_seed(seed)
    shapes = {
        hugging_face_name(name): weight.shape for name, weight in model_without_weights(config).named_parameters()
    }
    weights = {}
    for name, shape in shapes.items():
        if len(shape) == 1:  # the factors of a norm
            weights[name] = torch.ones(shape)
        else:
            weights[name] = nn.init.normal_(torch.empty(shape), std=0.02, generator=generator)
    return build_model(config, weights, "random weights", device, dtype)
