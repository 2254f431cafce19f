"""A connection to a socket in the file system."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "network"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "connected"
NEEDS_ISOLATION = True
FILES = right_scheduler(
    schedule="""
        try:
            import socket
            socket.socket(socket.AF_UNIX).connect('@SOCKET@')
        except BaseException:
            pass
    """,
)
