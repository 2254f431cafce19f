"""Temporary folders of graders that share a TMPDIR: what lives is left alone, what is dead is removed."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.paths import ROOT
from grader.worker import temporary
from grader.worker.temporary import remove_leftovers, temporary_folder

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has what these folders hold")

OWNER = """
import os, sys
from grader.worker.temporary import temporary_folder
with temporary_folder() as top:
    (top / "submission").mkdir()
    if "fork" in sys.argv and os.fork() == 0:
        sys.stdin.read()
        os._exit(0)
    print(top, flush=True)
    sys.stdin.read()
"""


@contextmanager
def owner(
    folder: Path, *arguments: str, command: tuple[str, ...] = ()
) -> Generator[tuple["subprocess.Popen[str]", Path]]:
    """Another grader with a temporary folder in `folder`, until its standard input ends."""
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'starter'}"}
    process = subprocess.Popen(
        [*command, sys.executable, "-c", OWNER, *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None and process.stdout is not None
    with process:
        yield process, Path(process.stdout.readline().strip())


def wait_until_gone(folder: Path) -> None:
    """A killed process gives back its locks as soon as the system has buried it."""
    for _ in range(100):
        remove_leftovers(folder.parent)
        if not folder.exists():
            return
        time.sleep(0.05)


def test_a_live_folder_stays_and_ends_with_its_owner(tmp_path: Path) -> None:
    with owner(tmp_path) as (_, folder):
        remove_leftovers(tmp_path)
        assert (folder / "submission").is_dir()
    assert list(tmp_path.iterdir()) == []


def test_a_live_folder_of_another_process_namespace_stays(tmp_path: Path) -> None:
    """There a grader has a number that here nobody has, or somebody else."""
    namespace = ("unshare", "--pid", "--fork")
    if shutil.which("unshare") is None or subprocess.run([*namespace, "true"], capture_output=True).returncode:
        pytest.skip("this user can't make a process namespace")
    with owner(tmp_path, command=namespace) as (_, folder):
        remove_leftovers(tmp_path)
        assert (folder / "submission").is_dir()


def test_the_folder_of_a_killed_grader_is_removed_by_the_next(tmp_path: Path) -> None:
    with owner(tmp_path) as (process, folder):
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert folder.is_dir()
        with temporary_folder(tmp_path) as mine:
            assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == [mine.name]
    assert list(tmp_path.iterdir()) == []


def test_a_fork_that_lives_on_keeps_its_folder(tmp_path: Path) -> None:
    with owner(tmp_path, "fork") as (process, folder):
        process.send_signal(signal.SIGKILL)
        process.wait()
        remove_leftovers(tmp_path)
        assert folder.is_dir()
        assert process.stdin is not None
        process.stdin.close()  # now the fork ends, too
        wait_until_gone(folder)
        assert list(tmp_path.iterdir()) == []


def test_a_fork_does_not_remove_its_parents_folder(tmp_path: Path) -> None:
    """Also if it throws away what it has inherited, as multiprocessing does from Python 3.13 on."""
    folder = temporary_folder(tmp_path)
    with folder as top:
        child = os.fork()
        if child == 0:
            folder.__exit__(None, None, None)
            os._exit(0)
        os.waitpid(child, 0)
        remove_leftovers(tmp_path)
        assert top.is_dir()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("said", [b"another-system", b""])
def test_what_another_machine_made_must_be_old(tmp_path: Path, said: bytes) -> None:
    """Where many machines share a folder, a lock that looks free proves nothing."""
    lock, folder = tmp_path / f"{temporary.PREFIX}x.lock", tmp_path / f"{temporary.PREFIX}x"
    folder.mkdir()
    lock.write_bytes(said)
    remove_leftovers(tmp_path)
    assert folder.is_dir()
    long_ago = time.time() - temporary.SECONDS_UNTIL_STALE - 60
    os.utime(lock, (long_ago, long_ago))
    remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_without_locks_nothing_is_removed_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    with monkeypatch.context() as patch:
        patch.setattr("fcntl.flock", no_locks)
        with temporary_folder(tmp_path) as top:
            patch.undo()
            remove_leftovers(tmp_path)
            assert list(tmp_path.iterdir()) == [top]
    assert list(tmp_path.iterdir()) == []


def test_other_files_with_such_names_stay(tmp_path: Path) -> None:
    """Neither a folder without a lock, nor what a lock that is a link leads to."""
    (tmp_path / f"{temporary.PREFIX}0000001-abc").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere.lock").write_bytes(temporary.running_system())
    (tmp_path / f"{temporary.PREFIX}y.lock").symlink_to(tmp_path / "elsewhere.lock")
    (tmp_path / f"{temporary.PREFIX}y").symlink_to(tmp_path / "elsewhere")
    before = sorted(tmp_path.iterdir())
    remove_leftovers(tmp_path)
    assert sorted(tmp_path.iterdir()) == before


def test_what_can_not_be_removed_now_is_removed_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(temporary, "remove", lambda folder: None)
        with temporary_folder(tmp_path) as top:
            pass
        remove_leftovers(tmp_path)
        assert top.is_dir()
    remove_leftovers(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_somebody_put_there_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a TMPDIR that all users share, the lock's name tells the folder's."""
    lock = tmp_path / f"{temporary.PREFIX}x.lock"
    (tmp_path / f"{temporary.PREFIX}x").symlink_to(tmp_path)

    def make_lock(*_: object) -> tuple[int, str]:
        return os.open(lock, os.O_RDWR | os.O_CREAT), str(lock)

    monkeypatch.setattr(tempfile, "mkstemp", make_lock)
    with pytest.raises(FileExistsError), temporary_folder(tmp_path):
        pass
    assert not lock.exists()
