"""A datagram to this machine."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="network",
    where="update",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="connected",
    needs_isolation=True,
    files=right_scheduler(
        update="""
            try:
                import socket
                socket.socket(type=socket.SOCK_DGRAM).sendto(b'hidden', ('127.0.0.1', @PORT@))
            except BaseException:
                pass
        """,
    ),
)
