"""The micro model speaks its grammar."""

import random
from pathlib import Path

import pytest

from grader.hidden.grammar import RULES, is_text, make_text

pytest.importorskip("torch", reason="the model needs PyTorch")
pytest.importorskip("safetensors", reason="reading weights needs safetensors")

from batching_lab import Job, Request, SchedulerConfig
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.loading.load import MICRO, load_model
from grader.proving.fakes.model import ShuffledAllocator, run


def test_the_grammar_derives_what_it_makes_and_little_else() -> None:
    rng = random.Random(1)
    for _ in range(200):
        text = make_text(rng)
        assert is_text(text)
        assert not is_text(text[:-1])
        place = rng.randrange(len(text))
        assert not is_text(text[:place] + "#" + text[place + 1 :])
        assert not is_text(text + " " + text)


def test_every_rule_of_the_grammar_is_used() -> None:
    alternatives = " ".join(alternative for rule in RULES.values() for alternative in rule)
    assert {name for name in RULES if f"<{name}>" not in alternatives} == {"text"}


def test_the_model_is_small_and_described() -> None:
    assert (MICRO / "model.safetensors").stat().st_size < 2_000_000
    card = (MICRO / "MODEL_CARD.md").read_text(encoding="utf-8")
    num_parameters = sum(parameter.numel() for parameter in load_model("micro").llama.parameters())
    assert f"{num_parameters:,}" in card


def test_95_percent_of_its_texts_parse() -> None:
    """200 texts: the beginning of a random text of the grammar, 0 to 20 bytes of it, and how the model goes on."""
    loaded = load_model("micro")
    rng = random.Random(12)
    jobs = []
    for number in range(200):
        prompt = loaded.tokenizer.encode(make_text(rng)[: rng.randint(0, 20)])
        jobs.append(Job(Request(f"r{number}", prompt, 450, loaded.tokenizer.eos_token_id)))
    config, allocator = SchedulerConfig(64), ShuffledAllocator(64 * 30, 16)
    _, executor = run(ModelExecutor, loaded.llama, jobs, config, allocator, fixed_lengths=False, log=True)
    texts = {job.request.request_id: list(job.request.prompt_token_ids) for job in jobs}
    for steps in executor.log.ticks:
        for step in steps:
            if step.sampled is not None:
                texts[step.request_id].append(step.sampled)
    wrong = [text for token_ids in texts.values() if not is_text(text := loaded.tokenizer.decode(token_ids))]
    assert len(wrong) <= 10, "\n".join([f"{len(wrong)} of 200 do not parse:", *wrong])


def test_the_folder_holds_nothing_else() -> None:
    assert {path.name for path in Path(MICRO).iterdir()} == {"MODEL_CARD.md", "config.json", "model.safetensors"}
