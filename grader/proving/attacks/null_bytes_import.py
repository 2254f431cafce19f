"""scheduler.py is nothing but null bytes."""

from grader.proving.attack import Attack

ATTACK = Attack(
    mechanism="hostile source",
    where="files",
    part="1",
    deserved=(),
    not_shown="it costs only its own tests there, too",
    files={"scheduler.py": "\0" * 100_000},
)
