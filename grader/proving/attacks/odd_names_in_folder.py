"""Names with line breaks, control characters, quotes, HTML and bytes that are no text."""

import os
from collections.abc import Callable
from pathlib import Path

MECHANISM = "odd file names"
WHERE = "files"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "nothing of the plain grader's is stopped by it"


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
