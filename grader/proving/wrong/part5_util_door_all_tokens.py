"""A request that can be preempted may have to recompute P + max_tokens tokens."""

PART = "5"
CAUGHT_BY = ["util_door"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
max_computed_tokens(request) if may_be_preempted else len(request.prompt_token_ids)
""",
        """\
max_computed_tokens(request) + 1 if may_be_preempted else len(request.prompt_token_ids)
""",
    ),
]
