"""The grader's temporary folders: removed at the end; those of a killed grader by the next one."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

PREFIX = "batching-lab-"
LOCK = ".lock"
SECONDS_UNTIL_STALE = 2 * 86400
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


@contextlib.contextmanager
def temporary_folder(parent: Path | None = None) -> Generator[Path]:
    """A new folder in `parent` (None: TMPDIR), removed at the end; what is hard to remove costs no result.

    Beside it lies a lock that this process holds, and those that it forks, for as long as they live. Only the process
    that made it removes it: what a fork leaves unfinished is not its own.
    """
    parent = parent or Path(tempfile.gettempdir())
    remove_leftovers(parent)
    with locked_folder(parent) if has_locks() else unlocked_folder(parent) as top:
        owner = os.getpid()
        try:
            yield top.resolve()
        finally:
            if os.getpid() == owner:
                remove(top)


def has_locks() -> bool:
    """Are folders locked here? On other systems than Linux the leftovers of killed gradings stay."""
    return sys.platform.startswith("linux")


def unlocked_folder(parent: Path) -> contextlib.AbstractContextManager[Path]:
    return contextlib.nullcontext(Path(tempfile.mkdtemp("", PREFIX, parent)))


@contextlib.contextmanager
def locked_folder(parent: Path) -> Generator[Path]:
    """Its lock is held, and says which running system it was made on.

    A folder that can't be removed keeps its lock, which nobody holds then: a later grader tries again.
    """
    import fcntl

    descriptor, lock = tempfile.mkstemp(LOCK, PREFIX, parent)
    folder = Path(lock.removesuffix(LOCK))
    is_ours = False
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(descriptor, running_system())
        except OSError:  # a file system without locks: without a lock file nobody removes the folder
            Path(lock).unlink()
        folder.mkdir(mode=0o700)
        is_ours = True
        yield folder
    finally:
        if not is_ours or not folder.exists():
            Path(lock).unlink(missing_ok=True)
        os.close(descriptor)


def running_system() -> bytes:
    """The same for all containers of one kernel; another one on each machine, and after each start."""
    try:
        return BOOT_ID.read_bytes().strip()
    except OSError:
        return b""


def remove_leftovers(parent: Path | None = None) -> None:
    """Folders in `parent` (None: TMPDIR) of grading processes that were killed."""
    if has_locks():
        for lock in (parent or Path(tempfile.gettempdir())).glob(f"{PREFIX}*{LOCK}"):
            with contextlib.suppress(OSError):
                remove_if_abandoned(lock)


def remove_if_abandoned(lock: Path) -> None:
    """Remove a folder of this user's and its lock, if nobody holds the lock any more.

    What another machine holds can't always be seen here: its folders, and those from before this one was started, must
    be old as well. A process number would prove nothing: in another container it is another process, or none.
    """
    import fcntl

    descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid():
            return
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        is_from_here = os.read(descriptor, 100) == running_system() != b""
        if is_from_here or time.time() - status.st_mtime > SECONDS_UNTIL_STALE:
            folder = lock.with_name(lock.name.removesuffix(LOCK))
            remove(folder)
            if not folder.exists():
                lock.unlink()
    finally:
        os.close(descriptor)


def remove(folder: Path) -> None:
    """As far as it can be removed."""
    try:
        shutil.rmtree(folder)
    except RecursionError:  # folders in folders in folders, where nothing kept a submission from writing
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False)
    except OSError:
        pass
