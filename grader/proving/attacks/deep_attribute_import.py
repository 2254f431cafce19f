"""A chain of attributes so long that whoever walks the tree recursively crashes."""

MECHANISM = "hostile source"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "whether the compiler crashes depends on Python's version"
FILES = {"scheduler.py": "x" + ".a" * 100_000 + "\n" + "y = " + "+".join(["1"] * 100_000)}
