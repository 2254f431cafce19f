"""The submission's own files are changed in mode and time, moved and removed."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "changing its own files"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        try:
            import os
            os.chmod(__file__, 0o777)
            os.utime(__file__, (0, 0))
            os.rename('answers.toml', 'x.toml')
            os.unlink('kv_allocator.py')
            print('SUCCEEDED', flush=True)
        except BaseException:
            pass
    """,
)
