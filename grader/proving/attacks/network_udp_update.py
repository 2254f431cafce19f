"""A datagram to this machine."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "network"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "connected"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    update="""
        try:
            import socket
            socket.socket(type=socket.SOCK_DGRAM).sendto(b'hidden', ('127.0.0.1', @PORT@))
        except BaseException:
            pass
    """,
)
