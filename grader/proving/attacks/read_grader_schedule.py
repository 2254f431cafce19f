"""The grader's folder is listed, and its hidden tests are read."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "reading files"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    schedule="""
        try:
            import os
            os.listdir('@ROOT@/grader')
            open('@ROOT@/grader/proving/attacks/planted/test_part1_planted.py').read()
            print('SUCCEEDED', flush=True)
        except BaseException:
            pass
    """,
)
