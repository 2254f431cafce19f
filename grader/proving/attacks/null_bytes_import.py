"""scheduler.py is nothing but null bytes."""

MECHANISM = "hostile source"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "it costs only its own tests there, too"
FILES = {"scheduler.py": "\0" * 100_000}
