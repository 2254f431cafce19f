"""Starts worker processes: on Linux as forks of one that has imported the library, elsewhere from nothing.

Importing the library takes a worker some 80 ms, a fork 2 ms, and every hidden test gets a fresh worker.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
from collections.abc import Generator
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any

from grader.worker.interpreter import executable

FORK, REAP = b"f", b"r"  # what the template understands, each with a process id; see child.py
FORK_SECONDS = 20.0  # a fork takes milliseconds; if it doesn't come, the template is dead or stopped


@dataclass
class WorkerProcess:
    """A running worker: its process id and its pipes."""

    pid: int
    stdin: FileIO
    stdout: FileIO
    stderr: FileIO
    popen: subprocess.Popen[bytes] | None = None  # None: a fork, which the template reaps
    template: "Template | None" = None

    def kill(self) -> None:
        """Kill the worker and everything that it started in its session, and wait for its end."""
        if os.name == "posix":
            for kill in (os.killpg, os.kill):  # a fork that has just begun leads no group yet
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    kill(self.pid, signal.SIGKILL)
        if self.popen is not None:
            self.popen.kill()
            self.popen.wait()
        elif self.template is not None:
            self.template.reap(self.pid)


@dataclass(frozen=True)
class IsolationPlan:
    """How the template and its workers are shut off.

    policy   what its `Lockdown` is made from; None: no isolation
    command  what stands before the interpreter's command line
    environment  what the interpreter needs to find its libraries there
    """

    policy: dict[str, Any] | None = None
    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)


ADDR_NO_RANDOMIZE, ASK = 0x0040000, 0xFFFFFFFF


@contextlib.contextmanager
def same_addresses_every_time() -> Generator[None]:
    """What is started meanwhile has no random addresses: sets of objects then have the same order in every run.

    It inherits that from this process: to set it in the child, `preexec_fn`, would copy all of this process's memory.
    Where a container forbids it, nothing changes.
    """
    personality = ctypes.CDLL(None).personality
    before = personality(ASK)
    personality(before | ADDR_NO_RANDOMIZE)
    try:
        yield
    finally:
        personality(before)


class Template:
    """A process that has imported the library and forks a worker on request. Runs no code of a submission."""

    def __init__(self, lab_files: Path, plan: IsolationPlan) -> None:
        self.lab_files = lab_files
        self.plan = plan
        self.ahead: tuple[int, ...] = ()  # our ends of the pipes of a worker that has been asked for
        self._start()

    def _start(self) -> None:
        self.control, their_control = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self.handover, their_handover = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (self.control, self.handover):
            end.settimeout(FORK_SECONDS)
        with their_control, their_handover, same_addresses_every_time():
            self.popen = subprocess.Popen(
                [*self.plan.command, *python(self.lab_files), "--template", str(their_handover.fileno())],
                env=minimal_environment() | self.plan.environment,
                cwd=self.lab_files,
                stdin=their_control.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[their_handover.fileno()],
                start_new_session=True,
            )
        self.handover.send(json.dumps(self.plan.policy).encode())

    def fork(self) -> WorkerProcess:
        """A new worker. If the template was killed or stopped, by a worker say, another takes its place."""
        try:
            if self.popen.poll() is not None:
                raise ConnectionResetError("the process that starts the workers has died, and all its workers with it")
            return self._fork()
        except OSError:
            self.close()
            self._start()
            return self._fork()

    def _fork(self) -> WorkerProcess:
        """The worker that was asked for the last time; the next one is made while this one works."""
        if not self.ahead:
            self._ask_for_fork()
        to_child, from_child, log = self.ahead
        pid = int(self.handover.recv(32) or b"0")
        if not pid:
            raise ConnectionResetError("the process that starts the workers has ended")
        self.ahead = ()
        process = WorkerProcess(pid, FileIO(to_child, "w"), FileIO(from_child), FileIO(log), template=self)
        with contextlib.suppress(OSError):
            self._ask_for_fork()
        return process

    def _ask_for_fork(self) -> None:
        (child_in, to_child), (from_child, child_out), (log, child_err) = os.pipe(), os.pipe(), os.pipe()
        self.ahead = (to_child, from_child, log)
        try:
            self.control.send(order(FORK))
            socket.send_fds(self.handover, [FORK], [child_in, child_out, child_err])
        finally:
            for descriptor in (child_in, child_out, child_err):
                os.close(descriptor)

    def reap(self, pid: int) -> None:
        """Wait for a killed worker. Until then its process id can't become another's."""
        with contextlib.suppress(OSError):
            self.control.send(order(REAP, pid))
            self.control.recv(1)

    def close(self) -> None:
        """End the template; its workers end with it."""
        for descriptor in self.ahead:
            os.close(descriptor)
        self.ahead = ()
        self.control.close()
        self.handover.close()
        self.popen.kill()
        self.popen.wait()


def order(what: bytes, pid: int = 0) -> bytes:
    """What the template reads at once, always as long."""
    return what + pid.to_bytes(4, "little")


def spawn(library: Path) -> WorkerProcess:
    """A worker that starts from nothing."""
    popen = subprocess.Popen(
        python(library),
        env=minimal_environment(),
        cwd=library,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=os.name == "posix",
        bufsize=0,
    )
    streams = popen.stdin, popen.stdout, popen.stderr
    stdin, stdout, stderr = (stream for stream in streams if isinstance(stream, FileIO))
    return WorkerProcess(popen.pid, stdin, stdout, stderr, popen)


def python(library: Path) -> list[str]:
    """The interpreter, without site-packages, user site or anything else of the grader's environment.

    First on its path is the folder of child.py: not by PYTHONPATH, which a colon in a folder's name would part.
    """
    return [str(executable()), "-s", "-S", "-B", "-X", "utf8", str(library / "child.py")]


def minimal_environment() -> dict[str, str]:
    """A fixed hash seed: the same submission gets the same score."""
    environment = {"PYTHONHASHSEED": "0"}
    if os.name == "nt":
        environment["SYSTEMROOT"] = os.environ.get("SYSTEMROOT", "")  # Python doesn't start without it
    return environment
