"""Each prompt by itself has to fit into the budget that the decodes leave."""

PART = "3"
CAUGHT_BY = ["token_budget_whole_prompt_waits", "token_budget_filled_exactly"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.compute(sequence, num_tokens)
            budget -= num_tokens
""",
        """\
            self.compute(sequence, num_tokens)
""",
    ),
]
