"""Ends a test that doesn't end by itself, on every system, without ending pytest.

pytest-timeout decides when a test has had its time. Its own ways to act on it are a signal, which Windows
lacks, and ending the process, which would lose the report. Here the exception `EndlessLoop` is raised in
the test's thread. Code that catches even that, or that waits outside Python, is given up with the whole run.
"""

import contextlib
import ctypes
import threading
import time
from collections.abc import Callable, Generator

import pytest
from pytest_timeout import Settings, is_debugging

RETRY_SECONDS = 0.2
GIVE_UP_SECONDS = 5.0


class EndlessLoop(BaseException):
    """Raised in a test that had not ended after its time."""

    def __str__(self) -> str:
        return "it does not end"


class Watchdog:
    """Watches one call in the current thread."""

    def __init__(self, seconds: float, give_up: Callable[[], None]) -> None:
        self.seconds = seconds
        self.give_up = give_up
        self.thread_id = threading.get_ident()
        self.is_armed = True
        self.is_raising = False
        self.has_raised = False
        self.is_over = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def disarm(self) -> None:
        """After this, nothing is raised any more; also if an exception was just on its way."""
        while True:
            with contextlib.suppress(EndlessLoop):
                self._disarm()
                return

    def _disarm(self) -> None:
        """A function of its own: Python 3.13 leaves a loop's jump back out of the `with` that the loop stands in."""
        self.is_armed = False
        self.is_over.set()
        while self.is_raising:
            time.sleep(0)
        if self.has_raised:  # perhaps its last exception is still to come
            self.has_raised = False
            raise_in_thread(self.thread_id, EndlessLoop)  # takes the place of that one
            while True:
                time.sleep(0)

    def _watch(self) -> None:
        if self.is_over.wait(self.seconds):
            return
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while time.monotonic() < deadline:
            self.is_raising = True
            if self.is_armed and not is_debugging():
                raise_in_thread(self.thread_id, EndlessLoop)
                self.has_raised = True
            self.is_raising = False
            if is_debugging() or self.is_over.wait(RETRY_SECONDS):
                return
        self.give_up()


def raise_in_thread(thread_id: int, exception: type[BaseException]) -> None:
    """Let a thread raise an exception at its next Python instruction, instead of one that is still to come.

    Taking one back (NULL) is not for us: Python 3.11 then hangs at once under a profiler or a tracer.
    """
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread_id), ctypes.py_object(exception))


class WatchdogPlugin:
    """Puts a `Watchdog` on every test function, with the seconds that pytest-timeout found for it.

    Without pytest-timeout (`-p no:timeout`) a test may take as long as it likes.

    give_up  ends the run when a test can't be stopped
    """

    def __init__(self, give_up: Callable[[pytest.Item], None]) -> None:
        self.give_up = give_up
        self.seconds: float | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_timeout_set_timer(self, item: pytest.Item, settings: Settings) -> bool:
        """Note the seconds of a test that begins."""
        self.seconds = settings.timeout
        return True  # ours replaces the timer of pytest-timeout

    @pytest.hookimpl(optionalhook=True)
    def pytest_timeout_cancel_timer(self, item: pytest.Item) -> bool:
        """The test is over."""
        self.seconds = None
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        """Watch the test function alone, without its fixtures."""
        if not self.seconds:
            return (yield)
        watchdog = Watchdog(self.seconds, lambda: self.give_up(pyfuncitem))
        try:
            return (yield)
        finally:
            watchdog.disarm()
