"""One grading run's sandbox: the submission's copy, what its workers need of the lab, how they are shut off."""

import base64
import contextlib
import functools
import importlib.util
import os
import py_compile
import shutil
import socket
import sys
import tempfile
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.paths import HIDDEN_TESTS, LIBRARY, RUBRIC
from grader.worker.client import Limits, Sandbox, Worker
from grader.worker.copying import copy_submission
from grader.worker.faults import SubmissionFault
from grader.worker.interpreter import (
    SYSTEM_LIBRARIES,
    Interpreter,
    executable,
    installed,
    is_open_to_others,
    open_to_others,
)
from grader.worker.isolation import NOT_ISOLATED, Isolation, IsolationError, IsolationWish
from grader.worker.process import IsolationPlan, Template
from grader.worker.temporary import temporary_folder

WORKER = Path(__file__).parent
LIBRARY_SECONDS = 30.0
LIBRARY_IS_IN_REACH: list[bool] = []  # what this process has seen: the library is the same for all its sandboxes
ISOLATION_PACKAGES = ("landlockpy", "pyseccomp")
UNCHECKED_CODE = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)  # PEP 552: no look at the source
NEEDED_LIMITS = {
    "RLIMIT_FSIZE": (16 << 20, "This process may write files of at most {} bytes (ulimit -f)"),
    "RLIMIT_NOFILE": (128, "This process may open at most {} files (ulimit -n)"),
    "RLIMIT_AS": (Limits.memory_bytes, "This process may take at most {} bytes of memory (ulimit -v)"),
    "RLIMIT_DATA": (Limits.memory_bytes, "This process may take at most {} bytes of data (ulimit -d)"),
    "RLIMIT_CPU": (120, "This process may compute for at most {} seconds (ulimit -t)"),
    "RLIMIT_NPROC": (64, "This user may have at most {} processes and threads (ulimit -u)"),
}


@contextlib.contextmanager
def sandbox_for(folder: Path, wish: IsolationWish = "required") -> Generator[tuple[Sandbox, list[str]]]:
    """A temporary folder with the submission's copy, and a template for its workers; both are gone afterwards.

    wish  "required": raise `IsolationError` unless the probe finds full isolation; "best": what there is;
          "off": none of the operating system's, to test that the process boundary alone stops forgery
    """
    check_own_limits()
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
            bare = Sandbox(submission, lab_files, Isolation("weak", []), template)
            missing, measures = probe_isolation(bare, top)
            if plan.policy is not None:
                check_library(bare)
            if missing and wish == "required":
                raise IsolationError(refusal(missing))
            isolation = Isolation("weak" if missing else "full", missing)
            sandbox = Sandbox(submission, lab_files, isolation, template, line_counts, measures=measures)
            yield replace(sandbox, imports=compile_submission(sandbox)), notes


def prepare_sandboxes(wish: IsolationWish) -> None:
    """Find out what all sandboxes of this process and of those that it forks share, so that this one removes it."""
    library_files()
    if sys.platform.startswith("linux") and wish != "off":
        with contextlib.suppress(IsolationError):  # each sandbox will say so
            interpreter_for(os.geteuid() == 0)


def interpreter_for(other_user: bool) -> Interpreter:
    """The interpreter of the workers; other_user: they run as one who may not read ours"""
    return open_to_others() if other_user else installed()


def check_own_limits() -> None:
    """Raise `IsolationError` if this process has less of something than a submission may use: right ones could fail."""
    if not sys.platform.startswith("linux"):
        return
    import resource

    for name, (needed, sentence) in NEEDED_LIMITS.items():
        kind = getattr(resource, name)
        soft, hard = resource.getrlimit(kind)
        if soft == resource.RLIM_INFINITY or soft >= needed:
            continue
        if hard != resource.RLIM_INFINITY and hard < needed:
            raise IsolationError(f"{sentence.format(hard)}; grading needs {needed}.")
        resource.setrlimit(kind, (hard, hard))


def refusal(missing: list[str]) -> str:
    """Why nothing is graded where these can't be shut off, and what to do."""
    return (
        f"The submission's process can't be shut off from {', '.join(missing)} on this machine, so the hidden tests "
        "were not run. CONTRIBUTING.md says what is needed; --allow-weak-isolation grades all the same, and the "
        "result then says so."
    )


def copy_library(to: Path) -> None:
    """`batching_lab` and the worker's own files, compiled."""
    for name, content in library_files().items():
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        (to / name).write_bytes(content)


@functools.cache
def library_files() -> dict[str, bytes]:
    """Name -> content of what each sandbox has beside the submission; compiled once in this process.

    Python takes the compiled files without a look at the sources' times.
    """
    with temporary_folder() as top:
        folder = top / "library"
        shutil.copytree(LIBRARY, folder / "batching_lab", ignore=shutil.ignore_patterns("__pycache__", "model"))
        for own in ("child.py", "lockdown.py", "reach.py"):
            shutil.copy(WORKER / own, folder)
        for package in ISOLATION_PACKAGES:
            spec = importlib.util.find_spec(package)
            if spec is None or spec.origin is None:
                continue
            if spec.submodule_search_locations:
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(Path(spec.origin).parent, folder / package, ignore=ignored)
            else:
                shutil.copy(spec.origin, folder)
        for path in folder.rglob("*.py"):
            py_compile.compile(
                str(path),
                dfile=path.relative_to(folder).as_posix(),
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def isolation_plan(submission: Path, lab_files: Path) -> IsolationPlan:
    """Landlock, and another user where we are root; without Landlock a mount namespace; seccomp with either."""
    missing_packages = [name for name in ISOLATION_PACKAGES if importlib.util.find_spec(name) is None]
    if missing_packages:
        raise IsolationError(f"Isolation needs {' and '.join(missing_packages)}: pip install -e '.[grader]'.")
    import landlockpy

    from grader.worker.lockdown import hide_memory

    hide_memory()
    uid = unused_uid() if os.geteuid() == 0 and landlockpy.supported() else None
    if uid is not None and not is_open_to_others(submission.parents[1]):
        raise IsolationError(
            f"The worker runs as another user, who can't enter {submission.parents[1]}: set TMPDIR to a folder "
            "that every user may enter."
        )
    interpreter = interpreter_for(uid is not None)
    readable = [submission, lab_files, *map(Path, SYSTEM_LIBRARIES), *interpreter.readable()]
    if not landlockpy.supported():
        bubblewrap = shutil.which("bwrap")
        command = () if bubblewrap is None else bubblewrap_command(bubblewrap, [*readable, *interpreter.folders])
        origin = {"LD_ORIGIN_PATH": str(executable().parent)}  # the loader has no /proc there to ask
        return IsolationPlan({"readable": None, "listable": [], "uid": None}, command, origin)
    policy = {"readable": [*map(str, readable)], "listable": [*map(str, interpreter.folders)], "uid": uid}
    return IsolationPlan(policy, environment=interpreter.environment())


def bubblewrap_command(bubblewrap: str, readable: list[Path]) -> tuple[str, ...]:
    """Runs the interpreter where nothing else is mounted, with no network. Process ids stay as they are."""
    finds_libseccomp = Path("/sbin/ldconfig")
    readable = [*readable, executable(), finds_libseccomp]
    binds = [argument for path in readable for argument in ("--ro-bind-try", str(path), str(path))]
    shut_off = ("--unshare-user", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--die-with-parent")
    return (bubblewrap, *shut_off, *binds, "--dev-bind", "/dev/null", "/dev/null", "--remount-ro", "/", "--")


def unused_uid() -> int:
    """From the range that no system gives to people; another one for each grading process."""
    return 61184 + os.getpid() % 4000


def make_readable(top: Path) -> None:
    """For every user, whatever the umask."""
    for folder, _, names in os.walk(top):
        Path(folder).chmod(0o755)
        for name in names:
            Path(folder, name).chmod(0o644)


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
                    "files": [str(canary), str(HIDDEN_TESTS), str(RUBRIC)],
                    "folders": [str(sandbox.submission), str(sandbox.lab_files), tempfile.gettempdir(), "/dev/shm"],
                    "port": listener.getsockname()[1],
                    "pid": os.getpid(),
                },
            )
        except SubmissionFault as fault:
            raise IsolationError(f"A worker that tried what it must not reach failed: {fault}") from None
        finally:
            worker.close()
        with contextlib.suppress(BlockingIOError):
            listener.accept()
            reached.append("network")
    return [name for name in NOT_ISOLATED if name in reached], worker.measures


def compile_submission(sandbox: Sandbox) -> dict[str, Any]:
    """Have one worker compile the submission's files for all others, without running them; return what they import.

    The code is stored, as the worker gave it, where Python looks for it: only workers load it. Where that worker fails,
    each of the others finds the same fault.
    """
    names = {path.stem for path in sandbox.submission.glob("*.py")}
    worker = Worker(sandbox, Limits())
    try:
        found = worker.call("compile")
        code = {name: base64.b64decode(found["code"][name]) for name in found["code"].keys() & names}
        imports: dict[str, Any] = found["imports"]
    except (SubmissionFault, ValueError, TypeError, KeyError, AttributeError):
        return {}
    finally:
        worker.close()
    cache = sandbox.submission / "__pycache__"
    with contextlib.suppress(OSError):
        cache.mkdir()
    for name, content in code.items():
        path = cache / f"{name}.{sys.implementation.cache_tag}.pyc"
        try:
            path.write_bytes(UNCHECKED_CODE + content)
        except OSError:  # a name that is too long, a full disk: a worker does without it, but not with half of it
            with contextlib.suppress(OSError):
                path.unlink()
    make_readable(sandbox.submission)
    return imports


def check_library(sandbox: Sandbox) -> None:
    """Raise `IsolationError` unless a worker reaches all that it should: else right submissions would lose points.

    Tried by a worker that holds no submission, in each grading process once.
    """
    if LIBRARY_IS_IN_REACH:
        return
    worker = Worker(sandbox, Limits(call_seconds=LIBRARY_SECONDS))
    try:
        found: dict[str, str] = worker.call("reach")
    except SubmissionFault as fault:  # no code of a submission is there
        raise IsolationError(f"A worker that tried the standard library of {executable()} failed: {fault}") from None
    finally:
        worker.close()
    faults = {name: why for name, why in found.items() if name not in installed().faults}
    if faults:
        name, why = next(iter(faults.items()))
        others = f" and {len(faults) - 1} more files" if len(faults) > 1 else ""
        raise IsolationError(
            f"The submission's process can't load {name}{others} of the standard library of {executable()} ({why}): "
            "right submissions would lose points, so the hidden tests were not run."
        )
    LIBRARY_IS_IN_REACH.append(True)
