"""Wrong usage, told from faults of the lab's own."""

from collections.abc import Generator
from contextlib import contextmanager


class UsageError(Exception):
    """An option or a file that was given can't be used; the message is one sentence that names it."""


@contextmanager
def reading_input() -> Generator[None]:
    """Where what somebody gave is read: a `ValueError` about it becomes a `UsageError` with the same sentence."""
    try:
        yield
    except ValueError as error:
        raise UsageError(str(error)) from None
