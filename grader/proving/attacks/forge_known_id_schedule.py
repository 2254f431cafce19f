"""The question's id is read from the worker's variables: the reply is right in form, and a second one follows."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "forged replies"
WHERE = "schedule"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader has no channel"
FILES = right_scheduler(
    top="import gc, io, json, sys",
    schedule="""
        frame = sys._getframe()
        while frame.f_back:
            frame = frame.f_back
            message = frame.f_locals.get("message")
            if isinstance(message, dict) and "id" in message:
                reply = {"id": message["id"], "value": {"scheduled": [], "preempted": [], "has_unfinished": False}}
                for thing in gc.get_objects():
                    if isinstance(thing, io.BufferedWriter) and thing.fileno() > 2:
                        thing.write(json.dumps(reply).encode() + b"\\n")
    """,
)
