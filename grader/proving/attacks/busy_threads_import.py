"""Fifty threads compete with the calls."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="threads that stay",
    where="thread",
    part="1",
    deserved=(),
    not_shown="the plain grader only becomes slower",
    files=right_scheduler(
        top="""
            import threading
            def burn():
                while True: pass
            try:
                for _ in range(50): threading.Thread(target=burn, daemon=True).start()
            except RuntimeError:
                pass
        """,
    ),
)
