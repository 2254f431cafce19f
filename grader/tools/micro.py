"""Trains the micro model: python -m grader micro [--out DIR]. Seeded; under ten minutes on two free cores."""

import argparse
import json
import math
import random
import time
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor
from torch.nn import functional as F

from batching_lab.model.config import read_config
from batching_lab.model.llama import Llama
from batching_lab.model.loading.checkpoint import hugging_face_name
from batching_lab.model.loading.load import random_model
from grader.hidden.grammar import make_text
from grader.paths import ROOT

OUT = ROOT / "starter/batching_lab/model/micro"
SEED = 2680
NUM_TOKENS = 3_000_000
BOS, EOS = 256, 257

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "tokenizer": "bytes",
    "vocab_size": 260,
    "bos_token_id": BOS,
    "eos_token_id": EOS,
    "hidden_size": 128,
    "intermediate_size": 384,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "max_position_embeddings": 1024,
    "rms_norm_eps": 1e-5,
    "rope_theta": 10000.0,
    "tie_word_embeddings": True,
    "hidden_act": "silu",
    "torch_dtype": "float16",
}


CARD = """# The micro model

A Llama-family language model for this lab: small enough to lie in the repository and to run on any laptop.

| | |
|---|---|
| shape | 4 layers, hidden size 128, 4 query heads and 2 KV heads of 32, feed-forward 384, embedding and head tied |
| parameters | {num_parameters:,}, stored in half precision |
| vocabulary | 260: the 256 bytes, 256 = beginning of text, 257 = end of text, two unused |
| context | {window} tokens in training; RoPE runs on to 1,024, where texts are worse and computations as exact |
| data | {num_tokens:,} bytes of short stories that the project's own grammar makes up; nothing else |
| training | {steps} steps of {batch} windows, AdamW, seed {seed} |
| loss | {loss:.3f} nats a byte on unseen texts of the grammar |
| licence | MIT, like the repository |

It knows kitchens, railways, libraries, harbours, gardens and serving engines, and no facts at all.

Staff regenerate it with `python -m grader micro`: the same data from the same seed, weights equal up to rounding.
"""


def token_stream(rng: random.Random, num_tokens: int) -> Tensor:
    """Texts one after the other: <BOS> bytes <EOS> <BOS> bytes <EOS> ..."""
    tokens: list[int] = []
    while len(tokens) < num_tokens:
        tokens += [BOS, *make_text(rng).encode(), EOS]
    return torch.tensor(tokens[:num_tokens])


def causal_attention(layer: int, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention within each window of a batch; heads [B, T, heads, S]."""
    queries, keys, values = (heads.transpose(1, 2) for heads in (queries, keys, values))
    return F.scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=True).transpose(1, 2)


def loss_of(model: Llama, windows: Tensor) -> Tensor:
    """Mean nats a token of windows [B, T + 1]."""
    inputs, targets = windows[:, :-1], windows[:, 1:]
    hidden = model(inputs, torch.arange(inputs.shape[1]), causal_attention)
    return F.cross_entropy(model.logits(hidden).flatten(0, 1), targets.flatten())


def train(steps: int, batch: int, window: int) -> tuple[Llama, float]:
    """The trained model and its loss on texts that it has not seen."""
    model = random_model(read_config(CONFIG), SEED, torch.device("cpu"), torch.float32).requires_grad_(True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.05)
    stream = token_stream(random.Random(f"train {SEED}"), NUM_TOKENS)
    generator = torch.Generator().manual_seed(SEED)
    started = time.monotonic()
    for step in range(steps):
        warm_up, progress = min(1.0, (step + 1) / 50), step / steps
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * warm_up * (0.02 + 0.98 * (1 + math.cos(math.pi * progress)) / 2)
        starts = torch.randint(len(stream) - window - 1, (batch,), generator=generator)
        loss = loss_of(model, torch.stack([stream[start : start + window + 1] for start in starts.tolist()]))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if step % 25 == 0:
            print(f"step {step}: loss {loss.item():.3f}, {time.monotonic() - started:.0f} s", flush=True)
    unseen = token_stream(random.Random(f"test {SEED}"), 64 * (window + 1)).view(64, window + 1)
    with torch.no_grad():
        return model, loss_of(model, unseen).item()


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader micro`; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m grader micro", description="Train the micro model.")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--window", type=int, default=512)
    options = parser.parse_args(arguments)
    torch.manual_seed(SEED)
    model, loss = train(options.steps, options.batch, options.window)
    options.out.mkdir(parents=True, exist_ok=True)
    weights = {name: parameter.detach().half() for name, parameter in model.named_parameters()}
    save_file({hugging_face_name(name): weight for name, weight in weights.items()}, options.out / "model.safetensors")
    (options.out / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n", encoding="utf-8")
    num_parameters = sum(weight.numel() for weight in weights.values())
    card = CARD.format(**vars(options), num_parameters=num_parameters, num_tokens=NUM_TOKENS, seed=SEED, loss=loss)
    (options.out / "MODEL_CARD.md").write_text(card, encoding="utf-8")
    print(f"loss on unseen texts: {loss:.4f} nats a byte")
    return 0
