"""An expression so deep that the parser runs out of its stack."""

MECHANISM = "hostile source"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "this Python's parser refuses it there, too"
FILES = {"scheduler.py": "x = " + "-" * 200_000 + "1\n" + "x = " + "(" * 190 + "[" * 5000}
