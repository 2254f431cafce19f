"""A child keeps the channel open and answers beside its parent."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "many processes"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    update="""
        try:
            import os
            if os.fork() == 0:
                for _ in range(20):
                    for fd in range(3, 12):
                        try:
                            os.write(fd, b'{}\\n')
                        except OSError:
                            pass
                os._exit(0)
            print('SUCCEEDED', flush=True)
        except BaseException:
            pass
    """,
)
