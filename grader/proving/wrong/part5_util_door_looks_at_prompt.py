"""The budget's rule at the door is about the prompt, under both policies."""

PART = "5"
CAUGHT_BY = ["util_door"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
max_computed_tokens(request) if may_be_preempted else len(request.prompt_token_ids)
""",
        """\
len(request.prompt_token_ids)
""",
    ),
]
