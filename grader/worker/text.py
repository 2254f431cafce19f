"""Texts from outside, made fit to print."""

import contextlib
import os
import re
import sys
import tempfile
from pathlib import Path

from grader.paths import ROOT

# Two names or more: "/tmp" tells nothing, and "a / b" and "a // b" are no paths. Neither is an address on the web.
IN_NAME = r"""[^\s\\/:*?"'<>|(),;]"""
QUOTED_PATH = re.compile(  # may hold blanks
    r"""(?P<quote>['"])(?:file://)?(?:[A-Za-z]:[\\/]+|/(?=[^/]))[^'"\n]*[\\/](?P<name>[^'"\\/\n]*)(?P=quote)"""
)
ABSOLUTE_PATH = re.compile(
    rf"(?<![\w.:/\\~])(?:file://)?(?:[A-Za-z]:[\\/]+|/(?={IN_NAME}+/))(?:{IN_NAME}+[\\/]+)*(?P<name>{IN_NAME}*)"
)


def clean_text(text: object, length: int) -> str:
    """Printable, on one line, not too long."""
    if type(text) is not str:
        return "something unreadable"
    text = "".join(c if c.isprintable() else " " for c in text).encode("utf-8", "replace").decode()
    return text if len(text) <= length else text[: length - 3] + "..."


def without_paths(text: str) -> str:
    """Of each absolute path only the file's name: where a grader lies on its machine is nobody's business."""
    for folder in sorted(known_folders(), key=len, reverse=True):
        text = re.sub(rf"(?<![\w./]){re.escape(folder)}(?!\w)", "/-/-/", text)  # it may hold blanks, too
    text = QUOTED_PATH.sub(lambda path: path["quote"] + (path["name"] or "...") + path["quote"], text)
    return ABSOLUTE_PATH.sub(lambda path: path["name"] or "...", text)


def known_folders() -> set[str]:
    """Those of this machine that a message may name; not the root."""
    home = os.path.expanduser("~")  # noqa: PTH111  (Path's own raises where there is none)
    places = [ROOT, *map(Path, (home, sys.prefix, sys.base_prefix))]
    with contextlib.suppress(OSError):  # a machine without a folder that can be written
        places.append(Path(tempfile.gettempdir()))
    return {str(form) for place in places for form in (place, place.resolve()) if len(form.parts) > 1}
