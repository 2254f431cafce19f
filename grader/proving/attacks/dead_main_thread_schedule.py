"""A thread takes over the channel and the main thread ends: the process, as the system shows it, is dead, and answers slowly."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "dead main thread"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel to take over"
FILES = right_scheduler(
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
)
