"""A connection to a listener on this machine."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "network"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "connected"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    top="""
        try:
            import socket
            socket.create_connection(('127.0.0.1', @PORT@), 2).send(b'hidden')
        except BaseException:
            pass
    """,
)
