"""One grading run's sandbox: the submission's copy, what its workers need of the lab, how they are shut off."""

import contextlib
import functools
import importlib.util
import os
import py_compile
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Literal

import batching_lab
from grader.manifest import copy_submission
from grader.result import Isolation
from grader.worker.client import Limits, Sandbox, Worker
from grader.worker.process import IsolationPlan, Template

IsolationWish = Literal["required", "best", "off"]

WORKER = Path(__file__).parent
GRADER = WORKER.parent
LIBRARY = Path(batching_lab.__file__).parent
SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")
ISOLATION_PACKAGES = ("landlockpy", "pyseccomp")
NOT_ISOLATED = ["files", "network", "processes"]
NOT_COPIED = ("site-packages", "dist-packages", "test", "idlelib", "tkinter", "turtledemo", "ensurepip", "config-*")
PREFIX = "batching-lab-"


class IsolationError(Exception):
    """The workers can't be shut off as they should be. The text is a sentence for the staff."""


@contextlib.contextmanager
def sandbox_for(folder: Path, wish: IsolationWish = "required") -> Generator[tuple[Sandbox, list[str]]]:
    """A temporary folder with the submission's copy, and a template for its workers; both are gone afterwards.

    wish  "required": raise `IsolationError` unless the probe finds full isolation; "best": what there is;
          "off": none of the operating system's, to test that the process boundary alone stops forgery
    """
    remove_leftovers()
    with temporary_folder() as top:
        submission, lab_files = top / "submission", top / "library"
        notes = copy_submission(folder, submission)
        line_counts = {path.name: path.read_bytes().count(b"\n") + 1 for path in submission.glob("*.py")}
        copy_library(lab_files)
        if not sys.platform.startswith("linux"):
            if wish == "required":
                raise IsolationError(refusal(NOT_ISOLATED))
            yield Sandbox(submission, lab_files, Isolation("development", NOT_ISOLATED), None, line_counts), notes
            return
        make_readable(top)
        try:
            plan = IsolationPlan() if wish == "off" else isolation_plan(submission, lab_files)
        except IsolationError:
            if wish == "required":
                raise
            plan = IsolationPlan()
        with contextlib.closing(Template(lab_files, plan)) as template:
            missing, measures = probe_isolation(Sandbox(submission, lab_files, Isolation("weak", []), template), top)
            if missing and wish == "required":
                raise IsolationError(refusal(missing))
            isolation = Isolation("weak" if missing else "full", missing)
            yield Sandbox(submission, lab_files, isolation, template, line_counts, measures), notes


@contextlib.contextmanager
def temporary_folder() -> Generator[Path]:
    """Named after this process, removed at the end; what a submission makes hard to remove costs no result."""
    top = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid():07}-")).resolve()
    try:
        yield top
    finally:
        remove(top)


def prepare_sandboxes(wish: IsolationWish) -> None:
    """Make what all sandboxes of this process and of those that it forks share, so that this one removes it."""
    if wish != "off" and os.geteuid() == 0 and not is_open_to_others(Path(sysconfig.get_path("stdlib"))):
        interpreter_copy()


def remove(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except RecursionError:  # folders in folders in folders, where nothing kept a submission from writing
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False)
    except OSError:
        pass  # the next grading tries again


def refusal(missing: list[str]) -> str:
    return (
        f"The submission's process can't be shut off from {', '.join(missing)} on this machine, so the hidden tests "
        "were not run. CONTRIBUTING.md says what is needed; --allow-weak-isolation grades all the same, and the "
        "result then says so."
    )


def copy_library(to: Path) -> None:
    """`batching_lab` and the worker's own files, compiled once for all workers of the run."""
    shutil.copytree(LIBRARY, to / "batching_lab", ignore=shutil.ignore_patterns("__pycache__", "model"))
    for name in ("child.py", "lockdown.py"):
        shutil.copy(WORKER / name, to)
    for package in ISOLATION_PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            continue
        if spec.submodule_search_locations:
            shutil.copytree(Path(spec.origin).parent, to / package, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(spec.origin, to)
    for path in to.rglob("*.py"):
        py_compile.compile(str(path), doraise=True)


def isolation_plan(submission: Path, lab_files: Path) -> IsolationPlan:
    """Landlock, and another user where we are root; without Landlock a mount namespace; seccomp with either."""
    missing_packages = [name for name in ISOLATION_PACKAGES if importlib.util.find_spec(name) is None]
    if missing_packages:
        raise IsolationError(f"Isolation needs {' and '.join(missing_packages)}: pip install -e '.[grader]'.")
    import landlockpy

    from grader.worker.lockdown import hide_memory

    hide_memory()
    standard_library = Path(sysconfig.get_path("stdlib"))
    readable = [submission, lab_files, *map(Path, SYSTEM_LIBRARIES)]
    if not landlockpy.supported():
        bubblewrap = shutil.which("bwrap")
        command = () if bubblewrap is None else bubblewrap_command(bubblewrap, [*readable, standard_library])
        return IsolationPlan({"readable": None, "listable": [], "uid": None}, command=command)
    uid = unused_uid() if os.geteuid() == 0 else None
    home = None
    if uid is not None:
        if not is_open_to_others(submission.parents[1]):
            raise IsolationError(
                f"The worker runs as another user, who can't enter {submission.parents[1]}: set TMPDIR to a folder "
                "that every user may enter."
            )
        if not is_open_to_others(standard_library):
            home = interpreter_copy()
            standard_library = home / standard_library.relative_to(sys.base_prefix)
    readable += parts_of(standard_library)
    policy = {"readable": [str(path) for path in readable], "listable": [str(standard_library)], "uid": uid}
    return IsolationPlan(policy, home)


def parts_of(standard_library: Path) -> list[Path]:
    """Its entries, without what is installed beside it."""
    return [path for path in standard_library.iterdir() if path.name not in ("site-packages", "dist-packages")]


def bubblewrap_command(bubblewrap: str, readable: list[Path]) -> tuple[str, ...]:
    """Runs the interpreter where nothing else is mounted, with no network. Process ids stay as they are."""
    interpreter = Path(sys.executable).resolve()
    finds_libseccomp = Path("/sbin/ldconfig")
    readable = [*readable, interpreter, *Path(sys.base_prefix, "lib").glob("libpython*"), finds_libseccomp]
    binds = [argument for path in readable for argument in ("--ro-bind-try", str(path), str(path))]
    shut_off = ("--unshare-user", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent")
    return (bubblewrap, *shut_off, *binds, "--dev-bind", "/dev/null", "/dev/null", "--remount-ro", "/", "--")


def unused_uid() -> int:
    """From the range that no system gives to people; another one for each grading process."""
    return 61184 + os.getpid() % 4000


def is_open_to_others(folder: Path) -> bool:
    return all(path.stat().st_mode & 0o001 for path in [folder, *folder.parents])


@functools.cache
def interpreter_home() -> "tempfile.TemporaryDirectory[str]":
    """A folder that lives as long as this process."""
    return tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid():07}-")


@functools.cache
def interpreter_copy() -> Path:
    """A copy of the standard library that every user can read: the interpreter may lie in a closed home."""
    home = Path(interpreter_home().name).resolve()
    standard_library = Path(sysconfig.get_path("stdlib"))
    to = home / standard_library.relative_to(sys.base_prefix)
    shutil.copytree(standard_library, to, ignore=shutil.ignore_patterns(*NOT_COPIED))
    make_readable(home)
    return home


def make_readable(top: Path) -> None:
    """For every user, whatever the umask."""
    for folder, _, names in os.walk(top):
        Path(folder).chmod(0o755)
        for name in names:
            Path(folder, name).chmod(0o644)


def remove_leftovers() -> None:
    """Folders of grading processes that were killed."""
    if not sys.platform.startswith("linux"):
        return
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}[0-9]*-*"):
        pid = int(path.name.split("-")[2])
        with contextlib.suppress(OSError):
            if path.stat().st_uid == os.geteuid() and not Path(f"/proc/{pid}").exists():
                remove(path)


def probe_isolation(sandbox: Sandbox, top: Path) -> tuple[list[str], dict[str, bool]]:
    """What a worker reaches of the things that it must not reach, and what it says to have applied.

    Tried by a worker that holds no submission.
    """
    canary = top / "canary"
    canary.write_text("not for the worker", encoding="utf-8")
    canary.chmod(0o644)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        worker = Worker(sandbox, Limits())
        try:
            reached = worker.call(
                "probe",
                targets={
                    "files": [str(canary), str(GRADER / "hidden"), str(GRADER / "rubric.toml")],
                    "folders": [str(sandbox.submission), str(sandbox.lab_files), tempfile.gettempdir(), "/dev/shm"],
                    "port": listener.getsockname()[1],
                    "pid": os.getpid(),
                },
            )
        finally:
            worker.close()
        with contextlib.suppress(BlockingIOError):
            listener.accept()
            reached.append("network")
    return [name for name in NOT_ISOLATED if name in reached], worker.measures
