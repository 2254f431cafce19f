"""A connection to a socket in the file system."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="network",
    where="schedule",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="connected",
    needs_isolation=True,
    files=right_scheduler(
        schedule="""
            try:
                import socket
                socket.socket(socket.AF_UNIX).connect('@SOCKET@')
            except BaseException:
                pass
        """,
    ),
)
