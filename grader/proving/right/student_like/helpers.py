# my helper functions, shared by scheduler.py and kv_allocator.py
from __future__ import annotations

import functools
import logging
import warnings

logger = logging.getLogger("lab")
logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(message)s")

CALLS = 0  # how often we were asked (just for me)


@functools.lru_cache(maxsize=None)
def ceil_div(a, b):
    global CALLS
    CALLS += 1
    return a // b + (1 if a % b != 0 else 0)


def debug(*things):
    print("[debug]", *things, "✓")


def warn_once(text):
    warnings.warn(text, stacklevel=2)


class LabError(ValueError):
    """my own errors are ValueErrors as well"""
