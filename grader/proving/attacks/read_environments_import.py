"""The environments of all processes are read for a secret."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "reading other processes"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "read the canary"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        try:
            import glob
            for path in glob.glob('/proc/*/environ'):
                try:
                    text = open(path, 'rb').read()
                except OSError:
                    continue
                if b'GRADER_CANARY=' in text:
                    print(text.partition(b'GRADER_CANARY=')[2].split(bytes(1))[0], flush=True)
        except BaseException:
            pass
    """,
)
