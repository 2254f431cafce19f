"""A hidden value is told as the line in which an exception was raised."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "telling hidden values"
WHERE = "add_request"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "leaked"
FILES = right_scheduler(
    top="LINES = 1",
    add_request="""
        number = request.prompt_token_ids[0]
        exec(compile(chr(10) * (number - 1) + 'raise KeyError(1)', __file__, 'exec'))
    """,
)
FILES["scheduler.py"] += "\n" * 920_000
