"""A json.py in place of the standard library's."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="planted module",
    where="files",
    part="1",
    deserved=(),
    not_shown="the lab's loader refuses the file there, too",
    files={
        **wrong_scheduler(),
        "json.py": "def loads(*args, **kwargs): return {}\ndef dumps(*args, **kwargs): return '{}'\n",
    },
)
