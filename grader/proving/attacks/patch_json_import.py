"""json.dumps and json.loads of the worker write and read what the submission likes."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="patching the worker",
    where="import",
    part="1",
    deserved=(),
    not_shown="the plain grader uses no json",
    files=wrong_scheduler(
        top="""
            import json
            dumps = json.dumps
            def lie(value, *args, **kwargs):
                if isinstance(value, dict) and isinstance(value.get("value"), dict):
                    value["value"] = {"scheduled": [["A", float("nan")]], "preempted": [], "finished": [True], "has_unfinished": 0}
                return dumps(value)
            json.dumps = lie
            json.loads = lambda *args, **kwargs: {"id": 0, "call": "load", "class_name": "StaticScheduler"}
        """,
    ),
)
