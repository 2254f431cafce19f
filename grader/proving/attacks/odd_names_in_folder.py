"""Names with line breaks, control characters, quotes, HTML and bytes that are no text."""

import os
from collections.abc import Callable
from pathlib import Path

from grader.proving.attack import Attack


def build(folder: Path, fill_in: Callable[[str], str]) -> None:
    for name in (
        b"a\nSUCCEEDED.py",
        b"\x1b[31m.py",
        b"<script>alert(1)<.py",
        b"\xff\xfe.py",
        b"'; rm -rf.py",
        "\u202egpj.py".encode(),
    ):
        os.close(os.open(os.fsencode(folder) + b"/" + name, os.O_WRONLY | os.O_CREAT))


ATTACK = Attack(
    mechanism="odd file names",
    where="files",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="nothing of the plain grader's is stopped by it",
    build=build,
)
