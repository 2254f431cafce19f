"""A json.py in place of the standard library's."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "planted module"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the lab's loader refuses the file there, too"
FILES = wrong_scheduler() | {
    "json.py": "def loads(*args, **kwargs): return {}\ndef dumps(*args, **kwargs): return '{}'\n"
}
