"""A hidden value is told by the text, the class name and the function of an exception."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "telling hidden values"
WHERE = "add_request"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "leaked"
FILES = right_scheduler(
    add_request="""
        name = 'x%d' % request.prompt_token_ids[0]
        namespace = {'__name__': 'x'}
        exec(f'def {name}(): raise type("{name}", (ValueError,), {{}})("{name}")', namespace)
        namespace[name]()
    """,
)
