"""A prompt as long as the token budget is too long."""

PART = "3"
CAUGHT_BY = ["door_token_budget", "token_budget_nobody_overtakes"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
not self.config.enable_chunked_prefill and longest_prefill > budget:
""",
        """\
not self.config.enable_chunked_prefill and longest_prefill >= budget:
""",
    ),
]
