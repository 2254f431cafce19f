"""What a submission's process can't do under the operating system's isolation, and what it still can."""

import contextlib
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from batching_lab import SchedulerConfig
from batching_lab.submission.loading import Submission
from grader.cli import main
from grader.grading.grade import grade
from grader.grading.options import GradingOptions
from grader.paths import SOLUTION
from grader.proving.helpers import SHORT, make_submission, scheduler_file
from grader.worker.client import Worker
from grader.worker.faults import SubmissionFault
from grader.worker.proxies import WorkerHarness
from grader.worker.sandbox import sandbox_for

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux isolates")

StartWorker = Callable[..., WorkerHarness]
CONFIG = SchedulerConfig(2)


def run(start_worker: StartWorker, body: str) -> None:
    start_worker(scheduler_file(schedule=f"{body}; return Schedule({{}})")).scheduler("continuous", CONFIG).schedule()


@pytest.mark.parametrize(
    "body",
    [
        "open('/etc/passwd')",
        "open('@GRADER@/rubric.toml')",
        "import os; os.listdir('@GRADER@/hidden')",
        "import os; os.listdir('/')",
        "import os; os.listdir('..')",
        "open('notes.txt', 'w')",
        "open('scheduler.py', 'a')",
        "open('/tmp/left-behind', 'w')",
        "open('/dev/shm/left-behind', 'w')",
        "import os; os.mkdir('folder')",
        "import os; os.unlink('kv_allocator.py')",
        "import os; os.rename('kv_allocator.py', 'x.py')",
        "import os; os.chmod('kv_allocator.py', 0)",
        "import os; os.symlink('/etc/passwd', 'x')",
        "import os; os.utime('kv_allocator.py')",
        "import os; os.memfd_create('x')",
        "import socket; socket.create_connection(('127.0.0.1', @PORT@), 1)",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "import socket; socket.socket(socket.AF_UNIX)",
        "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)",
        "import os; os.fork()",
        "import os; os.posix_spawn('/bin/true', ['true'], {})",
        "import os; os.execv('/bin/true', ['true'])",
        "import subprocess; subprocess.run(['/bin/true'])",
        "import os; os.kill(os.getppid(), 0)",
        "import os; os.killpg(0, 15)",
        "import os; os.pidfd_open(os.getppid())",
        "import fcntl, os; fcntl.fcntl(1, fcntl.F_SETOWN, os.getppid())",
        "import os; os.listdir('/proc/%d' % os.getppid())",
        "open('/proc/self/environ')",
        "import os; os.setuid(0)",
        "import os; os.setpriority(os.PRIO_PROCESS, 0, -5)",
        "import os; os.sched_setaffinity(0, {0})",
        "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))",
        "import os; [os.dup(1) for _ in range(100)]",
    ],
)
def test_out_of_reach(start_worker: StartWorker, body: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        body = body.replace("@GRADER@", str(Path(__file__).parents[1])).replace("@PORT@", port)
        with pytest.raises(SubmissionFault, match=r"raised \w+ \(scheduler.py, line 12\)"):
            run(start_worker, body)


@pytest.mark.parametrize(
    "body",
    [
        "import threading; t = threading.Thread(target=print); t.start(); t.join()",
        "import asyncio; asyncio.run(asyncio.sleep(0))",
        "import sqlite3; sqlite3.connect(':memory:').execute('select 1')",
        "import concurrent.futures as f; f.ThreadPoolExecutor().submit(print).result()",
        "import decimal, fractions, statistics, logging, uuid, tempfile, zoneinfo, hashlib, ctypes, ssl",
        "import os; open(os.devnull, 'w').write('x')",
        "import os; os.listdir(); open('scheduler.py').read()",
        "import time; time.sleep(0.01); time.ctime()",
        "import signal; signal.alarm(0)",
        "import xml.etree.ElementTree, html.parser, importlib.resources, json.tool, email.message",
        "import ctypes; f = ctypes.CFUNCTYPE(None); kept = [f(print) for _ in range(300)]; kept[-1]()",
        "import sys; sys.stderr.write('x'); print('y', flush=True)",
    ],
)
def test_still_possible(start_worker: StartWorker, body: str) -> None:
    """What a right submission might do, however odd."""
    run(start_worker, body)


def test_workers_share_no_position_in_a_file(tmp_path: Path) -> None:
    """A position is a number that one worker could leave to the next."""
    top = """
import os, stat
def files():
    for number in range(64):
        try:
            if stat.S_ISREG(os.fstat(number).st_mode):
                yield number
        except OSError:
            pass
assert all(os.lseek(number, 0, os.SEEK_CUR) == 0 for number in files())
for number in files():
    os.lseek(number, 7, os.SEEK_SET)
"""
    folder = make_submission(tmp_path / "copy", files=scheduler_file(top=top))
    with sandbox_for(folder) as (sandbox, _):
        for _ in range(2):
            with contextlib.closing(Worker(sandbox, SHORT)) as worker:
                WorkerHarness(Submission(sandbox.submission), worker, False).scheduler("continuous", CONFIG)


@pytest.mark.parametrize("where", ["top", "schedule"])
def test_a_student_who_writes_a_file_is_told(start_worker: StartWorker, where: str) -> None:
    lab = start_worker(scheduler_file(**{where: "open('log.txt', 'w')"}))
    with pytest.raises(SubmissionFault, match=r"PermissionError.*: in grading a submission can compute and print, but"):
        lab.scheduler("continuous", CONFIG).schedule()


def test_full_isolation_is_in_the_result(tmp_path: Path) -> None:
    result = grade(make_submission(tmp_path / "copy"), ["0"])
    assert (result.isolation.level, result.isolation.missing, result.score) == ("full", [], 5)


def without_landlock_and_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("landlockpy.supported", lambda: False)
    monkeypatch.setattr("shutil.which", lambda name: None)


def test_less_than_full_isolation_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    without_landlock_and_bubblewrap(monkeypatch)
    assert main(["grade", str(SOLUTION), "--parts", "0"]) == 3
    assert "can't be shut off from files" in capsys.readouterr().out
    assert main(["grade", str(SOLUTION), "--parts", "0", "--allow-weak-isolation"]) == 0
    assert "Isolation: weak." in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_bubblewrap_stands_in_for_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("landlockpy.supported", lambda: False)
    result = grade(SOLUTION, ["0", "1"])
    assert (result.isolation.level, result.score) == ("full", 20)


def test_other_platforms_are_development_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert grade(SOLUTION, ["0"]).status == "grader_error"
    result = grade(SOLUTION, ["0"], GradingOptions(isolation="best"))
    assert (result.isolation.level, result.score) == ("development", 5)
    assert result.isolation.missing == ["files", "network", "processes"]


def test_a_worker_that_is_less_shut_off_is_not_used() -> None:
    with sandbox_for(SOLUTION) as (sandbox, _):
        assert sandbox.measures is not None and all(sandbox.measures[name] for name in ("landlock", "seccomp"))
        sandbox.measures["landlock"] = False  # as if the probed worker had been another one
        with pytest.raises(RuntimeError, match="a worker did not start"):
            Worker(sandbox, SHORT)


def test_a_temporary_folder_that_the_workers_user_can_not_enter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    tmp_path.chmod(0o700)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    result = grade(SOLUTION, ["0"])
    assert result.status == "grader_error" and f"who can't enter {tmp_path}: set TMPDIR" in result.error
