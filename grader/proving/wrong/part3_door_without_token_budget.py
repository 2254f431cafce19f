"""A prompt that exceeds the token budget waits for a tick that is large enough."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_token_budget", "door_refused_leaves_nothing"),
    file="scheduler.py",
    changes=(
        (
            """\
not self.config.enable_chunked_prefill and longest_prefill > budget:
""",
            """\
not self.config.enable_chunked_prefill and may_be_preempted and longest_prefill > budget:
""",
        ),
    ),
)
