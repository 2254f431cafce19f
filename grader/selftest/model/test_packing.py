"""Packed weights: the same numbers in another order, and products that agree with the plain ones."""

from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")

import torch
from torch import nn

from batching_lab.model.judging.logits import find_logit_faults, plain_logits
from batching_lab.model.llama import Llama
from batching_lab.model.loading import load
from batching_lab.model.loading.load import random_model
from batching_lab.model.packing import PackedLinear, can_pack, pack
from grader.proving.fakes.model import RUNS, TINY, random_jobs, run_kind, tiny_model

CPU = torch.device("cpu")
TOKEN_IDS = [1, 2, 3, 5, 8, 13, 21]

packs = pytest.mark.skipif(not can_pack(tiny_model()), reason="here oneDNN has no products of its own")


def packed_names(model: Llama) -> set[str]:
    return {name for name, module in model.named_modules() if isinstance(module, PackedLinear)}


def packed(model: Llama) -> Llama:
    pack(model, smallest=1)
    return model


@packs
@pytest.mark.parametrize("kind", RUNS)
def test_a_packed_model_computes_what_the_plain_one_does(kind: str) -> None:
    jobs = random_jobs(seed=1, spread=0 if kind in ("whole", "recomputed") else 3)
    _, executor = run_kind(kind, packed(tiny_model()), jobs, shuffled=True)
    assert find_logit_faults(tiny_model(), executor.run_log, jobs, tolerance=1e-4) == []


@packs
@pytest.mark.parametrize("tied", [True, False], ids=["tied", "own-head"])
def test_every_matrix_is_packed_and_keeps_its_numbers(tied: bool) -> None:
    """A tied head, too; the embedding itself stays, since rows are looked up in it."""
    config = replace(TINY, tie_word_embeddings=tied)
    plain, model = (random_model(config, 0, CPU, torch.float32) for _ in range(2))
    packed(model)
    linears = {name for name, module in plain.named_modules() if isinstance(module, nn.Linear)}
    assert packed_names(model) == linears | {"lm_head"}
    weights = {name: weight.to_dense() for name, weight in model.named_parameters()}
    head = plain.get_parameter("embed_tokens.weight" if tied else "lm_head.weight")
    assert torch.equal(weights["lm_head.weight"], head)
    assert all(torch.equal(weights[name], weight) for name, weight in plain.named_parameters())
    torch.testing.assert_close(plain_logits(model, TOKEN_IDS), plain_logits(plain, TOKEN_IDS), atol=1e-4, rtol=0)


@packs
def test_a_tick_in_which_nobody_samples_has_no_logits() -> None:
    model = packed(tiny_model())
    assert model.logits(torch.empty(0, TINY.hidden_size)).shape == (0, TINY.vocab_size)


@packs
def test_large_matrices_are_packed_when_a_model_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    config = replace(TINY, hidden_size=256, head_dim=64)  # k_proj and v_proj: 2 heads of 64, 2**15 numbers
    monkeypatch.setattr(load, "SMOLLM2", config)
    large = {f"layers.{layer}.self_attn.{name}" for layer in (0, 1) for name in ("q_proj", "o_proj")}
    assert packed_names(load.load_model("smollm2-random").llama) == large


@packs
@pytest.mark.parametrize("error", [AttributeError, RuntimeError, NotImplementedError, TypeError])
def test_a_pytorch_without_the_operators_computes_as_before(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """They are its compiler's own: they may be gone, or want other arguments."""

    def gone(*_: object) -> None:
        raise error

    monkeypatch.setattr(PackedLinear, "forward", gone)
    assert not packed_names(packed(tiny_model()))


def test_small_models_and_half_precision_stay_as_they_are() -> None:
    assert not packed_names(load.load_model("micro").llama)
    half = random_model(TINY, 0, CPU, torch.float16)
    assert not packed_names(packed(half))
