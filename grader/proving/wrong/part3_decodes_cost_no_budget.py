"""The token budget is for prompts; decodes of running sequences are free."""

PART = "3"
CAUGHT_BY = ["token_budget_decodes_first"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            budget -= num_tokens
        return budget
""",
        """\
        return budget
""",
    ),
]
