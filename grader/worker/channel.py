"""Lines to and from a worker, with a deadline that the worker can neither see nor move."""

import contextlib
import io
import os
import queue
import select
import sys
import threading
import time
from pathlib import Path
from typing import Protocol

from grader.worker.faults import ProtocolFault, WorkerDied, WorkerTimeout
from grader.worker.process import WorkerProcess

MAX_LINE_BYTES = 2 * 1024 * 1024
MAX_LOG_BYTES = 64 * 1024
WALL_FACTOR = 10


def cpu_seconds(pid: int) -> float | None:
    """Processor time of another process, all its threads; None where the system doesn't tell."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return time.clock_gettime((~pid << 3) | 2)  # the clock id of a process, as clock_getcpuclockid(3) makes it
    except OSError:
        return None


def is_asleep(pid: int) -> bool:
    """Does a process wait for something, not for a processor? It has nothing to wait for while we wait for it.

    What the system shows is the state of the main thread; "Z", a dead one, may leave others at work.
    """
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("R", "D")


class Deadline:
    """`seconds` of the worker's own time: its processor time, and the time for which it was seen to sleep.

    Time in which it waits for a processor on a busy machine is not its own; ten times as long on the wall
    clock is the end all the same.
    """

    LOOK_EVERY = 0.05

    def __init__(self, pid: int, seconds: float, cpu_charged: float | None = None) -> None:
        """cpu_charged: the processor time from which on it counts; None: from now on"""
        self.pid = pid
        self.seconds = seconds
        self.started = self.looked = time.monotonic()
        self.cpu_started = cpu_seconds(pid) if cpu_charged is None else cpu_charged
        self.cpu_seen = self.cpu_started or 0.0
        self.cpu_charged = self.cpu_started
        self.slept = 0.0

    def remaining(self) -> float:
        """How long to wait before looking again. Raises `WorkerTimeout` when the time is up."""
        now = time.monotonic()
        wall_left = self.started + WALL_FACTOR * self.seconds - now
        if self.cpu_started is None:
            own_left = wall_left
        elif now - self.looked < self.LOOK_EVERY:
            own_left = self.seconds
        else:
            cpu = cpu_seconds(self.pid) or self.cpu_started
            if is_asleep(self.pid):
                self.slept += max(0.0, now - self.looked - (cpu - self.cpu_seen))
            self.looked, self.cpu_seen = now, cpu
            own_left = self.seconds - self.spent()
        if own_left <= 0 or wall_left <= 0:
            raise WorkerTimeout()
        return min(own_left, wall_left, self.LOOK_EVERY)

    def spent(self) -> float:
        """The worker's own time so far; on the wall clock, a tenth of it, where the system doesn't tell."""
        if self.cpu_started is None:
            return (time.monotonic() - self.started) / WALL_FACTOR
        self.cpu_charged = cpu_seconds(self.pid) or self.cpu_seen  # or: it is dead
        return self.cpu_charged - self.cpu_started + self.slept


class Channel(Protocol):
    """Lines to a worker and from it. What it raises are sentences' beginnings: the client says in which call."""

    def write(self, data: bytes, deadline: Deadline) -> None:
        """Raises `WorkerTimeout` when the time is up, `WorkerDied` when nobody reads."""
        ...

    def read_line(self, deadline: Deadline) -> bytes:
        """Without its line break. Raises `WorkerTimeout`, `WorkerDied`, `ProtocolFault` for a line that is too long."""
        ...

    def take_line(self) -> bytes | None:
        """A line that has come already; None if there is none, or only the beginning of one."""
        ...

    def log(self) -> bytes:
        """The beginning of what the submission printed, at most `MAX_LOG_BYTES`."""
        ...

    def close(self) -> None:
        """Close our ends; the worker is killed by who started it."""
        ...


class PollChannel:
    """For POSIX: one thread, nothing blocks."""

    def __init__(self, process: WorkerProcess) -> None:
        self.process = process
        self.stdin, self.stdout, self.stderr = process.stdin.fileno(), process.stdout.fileno(), process.stderr.fileno()
        self.received = bytearray()
        self.logged = bytearray()
        self.poller = select.poll()
        for fd in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(fd, False)
        self.poller.register(self.stdout, select.POLLIN)
        self.poller.register(self.stderr, select.POLLIN)

    def write(self, data: bytes, deadline: Deadline) -> None:
        view = memoryview(data)
        try:
            view = view[os.write(self.stdin, view) :]
            if not view:
                return
        except BlockingIOError:
            pass
        except BrokenPipeError:
            raise WorkerDied() from None
        self.poller.register(self.stdin, select.POLLOUT)
        try:
            while view:
                self._wait(deadline)
                try:
                    view = view[os.write(self.stdin, view) :]
                except BlockingIOError:
                    pass
                except BrokenPipeError:
                    raise WorkerDied() from None
        finally:
            self.poller.unregister(self.stdin)

    def read_line(self, deadline: Deadline) -> bytes:
        while (line := self._received_line()) is None:
            self._wait(deadline)
        return line

    def take_line(self) -> bytes | None:
        if not self.received:
            self._drain(self.stdout)
        return self._received_line()

    def log(self) -> bytes:
        self._drain(self.stderr)
        return bytes(self.logged)

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError):
                stream.close()

    def _received_line(self) -> bytes | None:
        line, end, rest = self.received.partition(b"\n")
        if not end:
            return None
        self.received = rest
        return bytes(line)

    def _wait(self, deadline: Deadline) -> None:
        """Take in what has come, or wait for something until it is time to look at the clock again."""
        for fd, _ in self.poller.poll(1000 * deadline.remaining()):
            if fd != self.stdin and not self._drain(fd) and fd == self.stdout:
                raise WorkerDied()

    def _drain(self, fd: int) -> bool:
        """Read what is there; False at the end of the stream."""
        while True:
            try:
                data = os.read(fd, 65536)
            except BlockingIOError:
                return True
            if not data:
                if fd == self.stderr:
                    with contextlib.suppress(KeyError):
                        self.poller.unregister(fd)
                return False
            if fd == self.stderr:
                self.logged += data[: MAX_LOG_BYTES - len(self.logged)]
                return True  # a flood of output must not keep us from the clock
            self.received += data
            if len(self.received) > MAX_LINE_BYTES:
                raise ProtocolFault("The submission's process sent more than a reply can hold.")
            if b"\n" in data:
                return True


class ThreadChannel:
    """For Windows, where pipes can't be waited for: a thread for each direction."""

    def __init__(self, process: WorkerProcess) -> None:
        self.process = process
        self.to_write: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.logged = bytearray()
        for target in (self._write_all, self._read_lines, self._read_log):
            threading.Thread(target=target, daemon=True).start()

    def write(self, data: bytes, deadline: Deadline) -> None:
        self.to_write.put(data)

    def read_line(self, deadline: Deadline) -> bytes:
        while True:
            try:
                line = self.lines.get(timeout=min(deadline.remaining(), 1.0))
            except queue.Empty:
                continue
            if line is None:
                raise WorkerDied()
            if len(line) > MAX_LINE_BYTES:
                raise ProtocolFault("The submission's process sent more than a reply can hold.")
            return line

    def take_line(self) -> bytes | None:
        return None  # read_line finds it as fast

    def log(self) -> bytes:
        return bytes(self.logged)

    def close(self) -> None:
        """The threads end with the process; they close their own pipes."""

    def _write_all(self) -> None:
        try:
            while True:
                self.process.stdin.write(self.to_write.get())
                self.process.stdin.flush()
        except (OSError, ValueError):
            pass

    def _read_lines(self) -> None:
        stream = io.BufferedReader(self.process.stdout)
        while line := stream.readline(MAX_LINE_BYTES + 1):
            self.lines.put(line.rstrip(b"\r\n"))
        self.lines.put(None)

    def _read_log(self) -> None:
        while data := self.process.stderr.read(65536):
            self.logged += data[: MAX_LOG_BYTES - len(self.logged)]


def open_channel(process: WorkerProcess) -> Channel:
    """The channel that this system allows."""
    return ThreadChannel(process) if os.name == "nt" else PollChannel(process)
