"""A thread takes over the channel and the main thread ends: the process, as the system shows it, is dead, and answers slowly."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="dead main thread",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel to take over",
    files=right_scheduler(
        top="""
            import ctypes, json, sys, threading, time

            def serve_slowly(message, worker, requests, replies):
                time.sleep(0.1)
                while True:
                    reply = json.dumps({"id": message["id"], "value": worker.answer(message)})
                    if message["call"] == "update":
                        time.sleep(4)
                    replies.write(reply.encode() + b"\\n")
                    replies.flush()
                    message = json.loads(requests.readline())
        """,
        schedule="""
            if threading.current_thread() is threading.main_thread():
                frame = sys._getframe()
                while frame is not None and frame.f_code.co_name != "main":
                    frame = frame.f_back
                known = frame.f_locals
                names = ("message", "worker", "requests", "replies")
                threading.Thread(target=serve_slowly, args=[known[name] for name in names]).start()
                ctypes.CDLL(None).syscall(60, 0)
        """,
    ),
)
