"""A victim comes back when the budget holds its prompt."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_budget",),
    file="scheduler.py",
    changes=(
        (
            "            if num_tokens > budget or not",
            "            if min(num_tokens, len(sequence.request.prompt_token_ids)) > budget or not",
        ),
    ),
)
