"""The temporary folder is moved away, and a link to another one put in its place."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "changing its own files"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "the plain grader cleans nothing up"
KILLS = True
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        import os
        above = os.path.dirname(os.getcwd())
        try:
            os.rename(above, above + '-moved')
            os.symlink('@SCRATCH@', above)
        except OSError:
            pass
    """,
)
