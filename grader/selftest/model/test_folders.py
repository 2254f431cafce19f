"""Folders of Hugging Face's in the forms that are found in the wild: read as transformers reads them, or refused."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")
transformers = pytest.importorskip("transformers", reason="parity is tested with the extra `parity` installed")
tokenizers = pytest.importorskip("tokenizers", reason="a folder's tokenizer needs the extra `smollm2`")

import torch
from safetensors.torch import load_file, save_file

from batching_lab.commands.cli import main
from batching_lab.errors import ModelError
from batching_lab.model.judging.logits import plain_logits
from batching_lab.model.loading.load import LoadedModel, load_model
from grader.paths import SOLUTION

pytestmark = pytest.mark.slow

LETTERS = "abcdefghijklmnopqrstuvwxyz .,"
PROMPTS = ["the cat", "a, b, c.", "over and over again we go", "x"]
MAX_TOKENS = 40
WHOLE, INDEX = "model.safetensors", "model.safetensors.index.json"
HEAD, EMBEDDING = "lm_head.weight", "model.embed_tokens.weight"
SHAPE: dict[str, Any] = {
    "vocab_size": len(LETTERS) + 3,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 256,
    "initializer_range": 0.3,
}


def make_folder(folder: Path, kind: str = "Llama", tokenizer: Any = None, **settings: Any) -> Path:
    """A random model, as transformers saves it, with a tokenizer of letters."""
    torch.manual_seed(5)
    config = getattr(transformers, f"{kind}Config")(**SHAPE | settings)
    getattr(transformers, f"{kind}ForCausalLM")(config).save_pretrained(folder)
    tokenizer = tokenizer or letter_tokenizer()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def letter_tokenizer() -> Any:
    vocabulary = {token: number for number, token in enumerate(("<unk>", "<s>", "</s>", *LETTERS))}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocabulary, [], unk_token="<unk>"))
    tokenizer.decoder = tokenizers.decoders.Fuse()
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    return tokenizer


def change_json(path: Path, **settings: Any) -> None:
    """None takes a setting out."""
    data = json.loads(path.read_text(encoding="utf-8")) | settings
    path.write_text(json.dumps({name: value for name, value in data.items() if value is not None}), encoding="utf-8")


def change_weights(folder: Path, **changes: torch.Tensor) -> None:
    weights = load_file(folder / WHOLE) | changes
    save_file(weights, folder / WHOLE, metadata={"format": "pt"})


def their_texts(folder: Path) -> list[str]:
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    texts = []
    for prompt in PROMPTS:
        token_ids = tokenizer(prompt, return_tensors="pt").input_ids
        generated = model.generate(token_ids, max_new_tokens=MAX_TOKENS, do_sample=False, pad_token_id=0)
        texts.append(tokenizer.decode(generated[0, token_ids.shape[1] :], skip_special_tokens=True))
    return texts


def our_texts(folder: Path) -> list[str]:
    path = folder / "out.json"
    words = ("--model", str(folder), "--max-tokens", str(MAX_TOKENS), "--slots", "3", "--check", "--json", str(path))
    assert main(["generate", *PROMPTS, *words, "--submission", str(SOLUTION)]) == 0
    return [request["text"] for request in json.loads(path.read_text(encoding="utf-8"))["requests"]]


def expect_their_logits(folder: Path) -> LoadedModel:
    """Up to 1e-4, as in test_parity.py."""
    theirs = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    ours = load_model(str(folder))
    token_ids = random.Random(1).choices(range(SHAPE["vocab_size"]), k=120)
    with torch.inference_mode():
        expected = theirs(torch.tensor([token_ids])).logits[0]
    torch.testing.assert_close(plain_logits(ours.llama, token_ids), expected, atol=1e-4, rtol=0)
    return ours


def test_truncation_and_padding_in_the_tokenizers_file_are_off(tmp_path: Path) -> None:
    tokenizer = letter_tokenizer()
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=12, pad_id=0, pad_token="<unk>")
    folder = make_folder(tmp_path, tokenizer=tokenizer)
    saved = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    assert saved["truncation"]["max_length"] == 4 and saved["padding"]["strategy"] == {"Fixed": 12}
    ours = load_model(str(folder)).tokenizer
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    for prompt in PROMPTS:
        assert list(ours.encode(prompt)) == theirs(prompt).input_ids
        assert len(ours.encode(prompt)) == len(prompt)
    assert our_texts(folder) == their_texts(folder)


@pytest.mark.parametrize(
    ("config", "generation"),
    [("several", None), ("several", "several"), ("one", "several"), (None, "several"), ("several", "one")],
)
def test_texts_end_where_theirs_do(tmp_path: Path, config: str | None, generation: str | None) -> None:
    """The end tokens are letters that the model likes to write."""
    folder = make_folder(tmp_path)
    whole = their_texts(folder)
    often = sorted(set("".join(whole)), key="".join(whole).count)[-6:]
    ends = {"one": 2, "several": [2, *(3 + LETTERS.index(letter) for letter in often[:2])], None: None}
    change_json(folder / "config.json", eos_token_id=ends[config])
    change_json(folder / "generation_config.json", eos_token_id=ends[generation])
    if generation is None:
        (folder / "generation_config.json").unlink()
    texts = their_texts(folder)
    assert (texts == whole) == (generation == "one")
    assert our_texts(folder) == texts


@pytest.mark.parametrize("tied", [True, False, None], ids=["tied", "untied", "left out"])
@pytest.mark.parametrize("head", ["none", "equal", "another"])
@pytest.mark.parametrize("kind", ["Llama", "Mistral"])
def test_the_head_is_theirs(tmp_path: Path, tied: bool | None, head: str, kind: str) -> None:
    """A head in the file counts, whatever the configuration says; without one the embedding is it, if so configured."""
    folder = make_folder(tmp_path, kind, tie_word_embeddings=True, sliding_window=None)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    del config["tie_word_embeddings"]
    config |= {} if tied is None else {"tie_word_embeddings": tied}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    embedding = load_file(folder / WHOLE)[EMBEDDING]
    if head != "none":
        change_weights(folder, **{HEAD: embedding.clone() if head == "equal" else torch.randn_like(embedding)})
    if head == "none" and not tied:
        with pytest.raises(ModelError, match=r"the tensor lm_head\.weight is missing"):  # theirs is random
            load_model(str(folder))
        return
    notes = expect_their_logits(folder).notes
    assert bool(notes) == (tied is True and head == "another")
    assert our_texts(folder) == their_texts(folder)


def test_a_whole_file_beside_a_stale_index_is_theirs(tmp_path: Path) -> None:
    folder = make_folder(tmp_path)
    weights = load_file(folder / WHOLE)
    save_file({name: 2 * weight for name, weight in weights.items()}, folder / "old.safetensors", {"format": "pt"})
    index = {"metadata": {}, "weight_map": dict.fromkeys(weights, "old.safetensors")}
    (folder / INDEX).write_text(json.dumps(index), encoding="utf-8")
    (note,) = expect_their_logits(folder).notes
    assert INDEX in note
    assert our_texts(folder) == their_texts(folder)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_weights_of_every_float_type_are_theirs(tmp_path: Path, dtype: torch.dtype) -> None:
    folder = make_folder(tmp_path)
    change_weights(folder, **{name: weight.to(dtype) for name, weight in load_file(folder / WHOLE).items()})
    change_json(folder / "config.json", dtype="float32")
    expect_their_logits(folder)


@pytest.mark.parametrize(
    "settings",
    [
        {"rope_parameters": None, "rope_theta": 500.0},
        {"rope_parameters": {"rope_type": "default", "rope_theta": 500.0}, "rope_theta": 7.0},
        {"rope_parameters": None, "rope_scaling": {"type": "linear", "factor": 4.0}},
        {
            "rope_parameters": None,
            "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
            "original_max_position_embeddings": 64,
        },
        {"head_dim": None},
        {"num_key_value_heads": None},
        {"rms_norm_eps": None},
        {"hidden_act": None},
        {"attention_bias": None, "mlp_bias": None},
    ],
    ids=lambda settings: " ".join(settings),
)
def test_other_spellings_and_what_is_left_out_are_theirs(tmp_path: Path, settings: dict[str, Any]) -> None:
    folder = make_folder(tmp_path, num_key_value_heads=4)
    change_json(folder / "config.json", **settings)
    expect_their_logits(folder)
