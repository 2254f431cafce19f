"""A request that can be preempted may have to recompute P + max_tokens tokens."""

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
max_computed_tokens(request) + 1 if may_be_preempted else len(request.prompt_token_ids)
""",
        ),
    ),
)
