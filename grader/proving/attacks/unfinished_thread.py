"""A thread that is no daemon never ends, so the process does not either."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="threads that stay",
    where="thread",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="hung",
    files=right_scheduler(
        top="""
            import threading, time
            def wait():
                while True: time.sleep(1)
            threading.Thread(target=wait).start()
        """,
    ),
)
