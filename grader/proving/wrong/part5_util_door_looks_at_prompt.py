"""The budget's rule at the door is about the prompt, under both policies."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_door",),
    file="scheduler.py",
    changes=(
        (
            """\
max_computed_tokens(request) if may_be_preempted else len(request.prompt_token_ids)
""",
            """\
len(request.prompt_token_ids)
""",
        ),
    ),
)
