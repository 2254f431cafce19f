"""A victim comes back when the budget holds its prompt."""

PART = "5"
CAUGHT_BY = ["preempt_budget"]
FILE = "scheduler.py"
CHANGES = [
    (
        "            if num_tokens > budget or not",
        "            if min(num_tokens, len(sequence.request.prompt_token_ids)) > budget or not",
    ),
]
