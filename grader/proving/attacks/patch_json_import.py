"""json.dumps and json.loads of the worker write and read what the submission likes."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "patching the worker"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain grader uses no json"
FILES = wrong_scheduler(
    top="""
        import json
        dumps = json.dumps
        def lie(value, *args, **kwargs):
            if isinstance(value, dict) and isinstance(value.get("value"), dict):
                value["value"] = {"scheduled": [["A", float("nan")]], "preempted": [], "finished": [True], "has_unfinished": 0}
            return dumps(value)
        json.dumps = lie
        json.loads = lambda *args, **kwargs: {"id": 0, "call": "load", "class": "StaticScheduler"}
    """,
)
