"""A thread that prints without end."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="floods",
    where="thread",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="flooded",
    files=right_scheduler(
        top="""
            import os, threading
            def shout():
                try:
                    for _ in range(3000): os.write(2, b'x' * 60_000)
                except OSError:
                    pass
            threading.Thread(target=shout, daemon=True).start()
        """,
        update="import time; time.sleep(0.1)",
    ),
)
