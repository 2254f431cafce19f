"""Runs `python -m grader grade` as a process of its own that leaves nothing behind, however it or this one ends."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from types import FrameType

from grader.paths import ROOT

# As `python -m grader`, with its folders on the path; not by PYTHONPATH, which a colon in a folder's name would part.
START = "import sys; sys.path[:0] = sys.argv[1:3]; del sys.argv[1:3]; from grader.cli import main; sys.exit(main())"
INTERRUPTED = 130  # the exit status
SECONDS_TO_END = 10.0  # for a grader that is told to: it removes its folders and ends its own processes


def run_grader(arguments: Sequence[str], seconds: float, log: Path) -> str:
    """Why there may be no result, one sentence; "" if the grader ended as it should. What it prints goes into `log`.

    The grader's process knows no token, whoever started this one.
    """
    environment = {name: value for name, value in os.environ.items() if "TOKEN" not in name and "SECRET" not in name}
    environment.pop("PYTHONPATH", None)
    command = [sys.executable, "-P", "-c", START, str(ROOT), str(ROOT / "starter"), *arguments]
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=os.name == "posix",  # Ctrl-C reaches us only, and we end it in order
            preexec_fn=end_with_parent(os.getpid()),
        )
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"The grader had not ended after {seconds:g} seconds."
        finally:
            end(process)
    if status == 0:
        return ""
    return f"The grader ended with {status}: {log.read_text(encoding='utf-8', errors='replace')[-500:]}"


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to end, then kill it and its group; a second Ctrl-C waits for nothing."""
    if process.poll() is not None:
        return
    try:
        process.terminate()
        process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        pass
    finally:
        if process.poll() is None:
            if os.name == "posix":
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()


def end_with_parent(parent: int) -> Callable[[], None] | None:
    """What a child calls first on Linux: it is killed when the process that started it ends, however that ends."""
    if not sys.platform.startswith("linux"):
        return None
    from grader.worker.lockdown import die_with_parent

    return lambda: die_with_parent(parent)


@contextlib.contextmanager
def interrupted_by_signals() -> Generator[None]:
    """A time limit's SIGTERM and a closed terminal's SIGHUP are a Ctrl-C: what was begun is put away."""
    before: dict[int, Callable[[int, FrameType | None], object] | int | None] = {}
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # nohup's SIGHUP stays ignored
            before[number] = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
