"""The token budget is for prompts; decodes of running sequences are free."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_decodes_first",),
    file="scheduler.py",
    changes=(
        (
            """\
            budget -= num_tokens
        return budget
""",
            """\
        return budget
""",
        ),
    ),
)
