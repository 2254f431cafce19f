"""A chain of attributes so long that whoever walks the tree recursively crashes."""

from grader.proving.attack import Attack

ATTACK = Attack(
    mechanism="hostile source",
    where="files",
    part="1",
    deserved=(),
    not_shown="whether the compiler crashes depends on Python's version",
    files={"scheduler.py": "x" + ".a" * 100_000 + "\n" + "y = " + "+".join(["1"] * 100_000)},
)
