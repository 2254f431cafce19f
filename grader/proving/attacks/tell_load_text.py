"""A hidden value is told by the text of an import that fails after the first test's inputs were seen."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="telling hidden values",
    where="update",
    part="1",
    deserved=(),
    control="leaked",
    files=right_scheduler(
        top="""
            import sys
            Error = sys.modules['batching_lab.errors'].SubmissionError
        """,
        add_request="raise Error('x%d' % request.prompt_token_ids[0])",
    ),
)
