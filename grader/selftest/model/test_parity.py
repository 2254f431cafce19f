"""The model computes what Hugging Face's does, and reads their folders; other folders are refused with a sentence."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")
transformers = pytest.importorskip("transformers", reason="parity is tested with the extra `parity` installed")

import torch

from batching_lab.model.judging.logits import plain_logits
from batching_lab.model.loading.load import load_folder
from grader.proving.fakes.model import RUNS, VOCAB_SIZE, random_jobs, random_prompt, run_kind

HEADS = [(9, 3), (4, 2), (8, 8)]

pytestmark = pytest.mark.slow


def make_folder(folder: Path, heads: tuple[int, int], tied: bool, shard_size: str = "1GB", **settings: Any) -> Any:
    """A checkpoint folder with random weights, and Hugging Face's model of it."""
    num_heads, num_kv_heads = heads
    config = transformers.LlamaConfig(
        vocab_size=VOCAB_SIZE,
        hidden_size=8 * num_heads,
        intermediate_size=100,
        num_hidden_layers=3,
        num_attention_heads=num_heads,
        num_key_value_heads=num_kv_heads,
        max_position_embeddings=256,
        tie_word_embeddings=tied,
        initializer_range=0.2,  # so large that attention matters
        **settings,
    )
    torch.manual_seed(hash((heads, tied)) % 1000)
    model = transformers.LlamaForCausalLM(config).eval()
    model.save_pretrained(folder, max_shard_size=shard_size)
    (folder / "tokenizer.json").write_text(
        json.dumps({"version": "1.0", "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}),
        encoding="utf-8",
    )
    return model


def their_logits(model: Any, token_ids: list[int]) -> torch.Tensor:
    with torch.inference_mode():
        logits: torch.Tensor = model(torch.tensor([token_ids])).logits[0]
    return logits


def load(folder: Path) -> Any:
    return load_folder("test", folder, torch.device("cpu"), torch.float32)


@pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
@pytest.mark.parametrize("heads", HEADS, ids=["9-3", "4-2", "8-8"])
def test_every_kind_of_run_gives_their_logits(tmp_path: Path, heads: tuple[int, int], tied: bool) -> None:
    theirs = make_folder(tmp_path, heads, tied)
    ours = load(tmp_path).llama
    for kind in RUNS:
        for shuffled in (False, True):
            jobs = random_jobs(seed=4, spread=0 if kind in ("whole", "recomputed") else 3)
            trace, executor = run_kind(kind, ours, jobs, shuffled)
            assert any(tick.preempted for tick in trace.ticks) == (kind == "recomputed")
            texts, logits = executor.texts(), executor.logits_of()
            for job in jobs:
                expected = their_logits(theirs, texts[job.request.request_id][:-1])
                expected = expected[len(job.request.prompt_token_ids) - 1 :]
                torch.testing.assert_close(logits[job.request.request_id], expected, atol=1e-4, rtol=0)


@pytest.mark.parametrize(
    "rope",
    [
        {"rope_type": "default", "rope_theta": 500.0},
        {"rope_type": "linear", "factor": 4.0, "rope_theta": 10000.0},
        {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64,
            "rope_theta": 10000.0,
        },
    ],
    ids=lambda rope: str(rope["rope_type"]),
)
def test_rope_is_theirs(tmp_path: Path, rope: dict[str, Any]) -> None:
    theirs = make_folder(tmp_path, (4, 2), True, rope_parameters=rope)
    token_ids = list(random_prompt(random.Random(1), 200))
    expected = their_logits(theirs, token_ids)
    torch.testing.assert_close(plain_logits(load(tmp_path).llama, token_ids), expected, atol=1e-4, rtol=0)


def test_older_configurations_are_read_alike(tmp_path: Path) -> None:
    """rope_theta and rope_scaling at the top level, as files had them before `rope_parameters`."""
    rope = {"rope_type": "linear", "factor": 2.0, "rope_theta": 777.0}
    theirs = make_folder(tmp_path, (4, 2), False, rope_parameters=rope)
    data = json.loads((tmp_path / "config.json").read_text(encoding="utf-8"))
    del data["rope_parameters"]
    data |= {"rope_theta": 777.0, "rope_scaling": {"type": "linear", "factor": 2.0}}
    (tmp_path / "config.json").write_text(json.dumps(data), encoding="utf-8")
    token_ids = list(random_prompt(random.Random(2), 50))
    expected = their_logits(theirs, token_ids)
    torch.testing.assert_close(plain_logits(load(tmp_path).llama, token_ids), expected, atol=1e-4, rtol=0)


def test_sharded_weights_are_joined(tmp_path: Path) -> None:
    theirs = make_folder(tmp_path, (4, 2), False, shard_size="20KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    token_ids = list(random_prompt(random.Random(3), 50))
    expected = their_logits(theirs, token_ids)
    torch.testing.assert_close(plain_logits(load(tmp_path).llama, token_ids), expected, atol=1e-4, rtol=0)


def test_the_tokenizer_of_a_folder_is_used(tmp_path: Path) -> None:
    make_folder(tmp_path, (4, 2), True)
    tokenizer = load(tmp_path).tokenizer
    assert tokenizer.encode("abba") == (2, 1, 0)
    assert tokenizer.eos_token_id == 2
