"""A prompt that exceeds the token budget waits for a tick that is large enough."""

PART = "3"
CAUGHT_BY = ["door_token_budget", "door_refused_leaves_nothing"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
not self.config.enable_chunked_prefill and longest_prefill > budget:
""",
        """\
not self.config.enable_chunked_prefill and may_be_preempted and longest_prefill > budget:
""",
    ),
]
