"""The question's id is read from the worker's variables: the reply is right in form, and a second one follows."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="forged replies",
    where="schedule",
    part="1",
    deserved=(),
    not_shown="the plain grader has no channel",
    files=right_scheduler(
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
    ),
)
