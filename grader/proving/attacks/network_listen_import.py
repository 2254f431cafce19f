"""A server of the submission's own, to be called from outside."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="network",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    needs_isolation=True,
    files=right_scheduler(
        top="""
            try:
                import socket
                server = socket.socket()
                server.bind(('127.0.0.1', 0))
                server.listen()
                print('SUCCEEDED', flush=True)
            except BaseException:
                pass
        """,
    ),
)
