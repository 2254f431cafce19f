"""Two thousand folders inside each other, which who cleans up must walk."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "changing its own files"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "the plain grader cleans nothing up"
KILLS = True
FILES = right_scheduler(
    top="""
        import os
        here = os.getcwd()
        try:
            for _ in range(2000):
                os.mkdir('d')
                os.chdir('d')
        except OSError:
            pass
        os.chdir(here)
    """,
)
