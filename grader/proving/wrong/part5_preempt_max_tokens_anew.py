"""A victim's outputs become part of its prompt, and it may generate max_tokens from there."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_recompute", "preempt_again", "preempt_recompute_chunks"),
    file="scheduler.py",
    changes=(
        (
            """\
import sys
""",
            """\
import sys
from dataclasses import replace
""",
        ),
        (
            """\
        victim.num_computed_tokens = 0
""",
            """\
        victim.num_computed_tokens = 0
        prompt = victim.request.prompt_token_ids + tuple(victim.output_token_ids)
        victim.request = replace(victim.request, prompt_token_ids=prompt)
        victim.output_token_ids = []
""",
        ),
    ),
)
