"""A prefill only fills the KV cache; the first token comes with the first decode."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_prompts", "continuous_prompts_join_decodes"),
    file="scheduler.py",
    changes=(
        (
            """\
            if request_id in sampled:
""",
            """\
            if request_id in sampled and num_tokens == 1:
""",
        ),
        (
            """\
sequence = self.running[request_id]
            sequence.num_computed_tokens += num_tokens
""",
            """\
sequence = self.running[request_id]
            sequence.num_computed_tokens += num_tokens if num_tokens == 1 else num_tokens - 1
""",
        ),
    ),
)
