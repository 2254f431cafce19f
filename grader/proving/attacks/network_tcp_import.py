"""A connection to a listener on this machine."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="network",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="connected",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                import socket
                socket.create_connection(('127.0.0.1', @PORT@), 2).send(b'hidden')
            except BaseException:
                pass
        """,
    ),
)
