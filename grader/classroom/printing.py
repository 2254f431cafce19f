"""What the commands of this folder print, wherever that goes: printing ends nobody's grading."""

import contextlib
import os
import sys
from pathlib import Path
from typing import TextIO

from grader.worker.text import clean_text


def print_what_can_be() -> None:
    """What a stream can't encode becomes a question mark; one that is closed (`>&-`) is None."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def say(text: str) -> None:
    """To standard output."""
    write(text, sys.stdout)


def complain(text: str) -> None:
    """To standard error."""
    write(text, sys.stderr)


def write(text: str, stream: TextIO | None) -> None:
    """A line, without what would change a terminal. If its reader is gone (`| head`), nothing more is printed."""
    if stream is None:
        return
    try:
        print(clean_text(text, len(text)), file=stream, flush=True)
    except OSError:
        with contextlib.suppress(OSError), Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())  # else what is left of the line fails again at the exit
