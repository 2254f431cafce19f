"""A json.py in place of the standard library's."""

from grader.attacks.bases import wrong_scheduler

MECHANISM = "planted module"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "died"
FILES = wrong_scheduler() | {"json.py": "def loads(*args, **kwargs): return {}\ndef dumps(*args, **kwargs): return '{}'\n"}
