"""A hidden value is left as the name of a folder, and told by the next test's import."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "telling hidden values"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "there are no workers in the plain grader"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        import os
        found = [name for name in os.listdir('.') if name.startswith('told')]
        if found:
            raise RuntimeError(found[0])
    """,
    add_request="""
        try:
            os.mkdir('told%d' % request.prompt_token_ids[0])
        except OSError:
            pass
    """,
)
