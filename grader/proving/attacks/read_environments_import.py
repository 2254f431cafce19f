"""The environments of all processes are read for a secret."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="reading other processes",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="read the canary",
    needs_isolation=True,
    files=right_scheduler(
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
    ),
)
