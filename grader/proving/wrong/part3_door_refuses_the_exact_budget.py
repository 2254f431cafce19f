"""A prompt as long as the token budget is too long."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_token_budget", "token_budget_nobody_overtakes"),
    file="scheduler.py",
    changes=(
        (
            """\
not self.config.enable_chunked_prefill and longest_prefill > budget:
""",
            """\
not self.config.enable_chunked_prefill and longest_prefill >= budget:
""",
        ),
    ),
)
