"""The prompt is recomputed in chunks; the outputs after it are decoded again, one a tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_recompute_chunks",),
    file="scheduler.py",
    changes=(
        (
            """\
            if num_tokens > 1:""",
            """\
            num_prompt_tokens_left = len(sequence.request.prompt_token_ids) - sequence.num_computed_tokens
            num_tokens = min(num_tokens, max(1, num_prompt_tokens_left))
            if num_tokens > 1:""",
        ),
    ),
)
