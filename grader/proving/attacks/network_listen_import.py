"""A server of the submission's own, to be called from outside."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "network"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "succeeded"
NEEDS_ISOLATION = True
FILES = right_scheduler(
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
)
