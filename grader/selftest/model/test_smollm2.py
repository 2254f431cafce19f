"""SmolLM2 gives the texts of transformers' own GGUF loader."""

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")
transformers = pytest.importorskip("transformers", reason="parity is tested with the extra `parity` installed")
pytest.importorskip("gguf", reason="SmolLM2 needs the extra `smollm2`")

import torch

from batching_lab import Job, Request, SchedulerConfig
from batching_lab.errors import ModelError
from batching_lab.model.executor import ModelExecutor
from batching_lab.model.judging.logits import plain_logits
from batching_lab.model.loading.load import load_model
from batching_lab.model.loading.smollm2 import find_gguf
from grader.proving.fakes.model import ShuffledAllocator, run

try:
    GGUF = find_gguf()
except ModelError as error:
    pytest.skip(str(error), allow_module_level=True)

PROMPTS = [
    "The capital of France is",
    "def fibonacci(n):\n    ",
    "In 1969, 3 people flew to the moon.",
    "<|im_start|>user\nWhat is a queue?<|im_end|>\n<|im_start|>assistant\n",
    "Zoë's café sells  tea — and",
]

pytestmark = pytest.mark.slow


def test_texts_and_logits_are_theirs() -> None:
    loaded = load_model("smollm2")
    theirs = transformers.AutoModelForCausalLM.from_pretrained(GGUF.parent, gguf_file=GGUF.name, dtype=torch.float32)
    their_tokenizer = transformers.AutoTokenizer.from_pretrained(GGUF.parent, gguf_file=GGUF.name)
    jobs = []
    for number, text in enumerate(PROMPTS):
        token_ids = loaded.tokenizer.encode(text)
        assert list(token_ids) == their_tokenizer(text).input_ids
        jobs.append(Job(Request(f"r{number}", token_ids, 12)))
    config = SchedulerConfig(3, 16, True, 5)
    _, executor = run(ModelExecutor, loaded.llama, jobs, config, ShuffledAllocator(20, 4), log=True)
    for job in jobs:
        prompt = list(job.request.prompt_token_ids)
        inputs = torch.tensor([prompt])
        ours = [
            step.sampled
            for steps in executor.log.ticks
            for step in steps
            if step.request_id == job.request.request_id and step.sampled is not None
        ]
        with torch.inference_mode():
            generated = theirs.generate(inputs, max_new_tokens=12, do_sample=False, eos_token_id=None)
            expected = theirs(inputs).logits[0]
        assert ours == generated[0, len(prompt) :].tolist()
        torch.testing.assert_close(plain_logits(loaded.llama, prompt), expected, atol=1e-3, rtol=0)
        assert loaded.tokenizer.decode(ours) == their_tokenizer.decode(ours, skip_special_tokens=True)
