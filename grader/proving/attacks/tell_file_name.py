"""A hidden value is told as the name of the file that raised."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "telling hidden values"
WHERE = "add_request"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "leaked"
FILES = right_scheduler(
    add_request="""
        name = f'{__file__.rpartition("/")[0]}/x{request.prompt_token_ids[0]}.py'
        exec(compile('raise KeyError(1)', name, 'exec'))
    """,
)
