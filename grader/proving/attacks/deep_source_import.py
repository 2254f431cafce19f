"""An expression so deep that the parser runs out of its stack."""

from grader.proving.attack import Attack

ATTACK = Attack(
    mechanism="hostile source",
    where="files",
    part="1",
    deserved=(),
    not_shown="this Python's parser refuses it there, too",
    files={"scheduler.py": "x = " + "-" * 200_000 + "1\n" + "x = " + "(" * 190 + "[" * 5000},
)
