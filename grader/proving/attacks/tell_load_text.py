"""A hidden value is told by the text of an import that fails after the first test's inputs were seen."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "telling hidden values"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "leaked"
FILES = right_scheduler(
    top="""
        import sys
        Error = sys.modules['batching_lab.errors'].SubmissionError
    """,
    add_request="raise Error('x%d' % request.prompt_token_ids[0])",
)
