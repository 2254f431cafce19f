"""Reading a folder that may hold anything: no waiting, no link followed, no memory filled."""

import contextlib
import os
import socket
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from batching_lab.submission import files as submission_files
from batching_lab.submission.files import MAX_FILE_BYTES, MAX_FILES, MAX_SENTENCES, read_plain_file, submitted_files
from grader.grading.grade import grade
from grader.proving.helpers import FILES, make_submission
from grader.worker.copying import copy_submission


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_submission(tmp_path / "student")


def bind_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))


@pytest.mark.timeout(20)
@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (os.mkfifo, "it is no plain file"),
        (Path.mkdir, "it is no plain file"),
        (bind_socket, "it is no plain file"),
        (lambda path: path.symlink_to("/dev/zero"), "it is a link"),
        (lambda path: path.symlink_to("nowhere"), "it is a link"),
        (lambda path: path.symlink_to("kv_allocator.py"), "it is a link"),
        (lambda path: path.write_bytes(b"#" * (MAX_FILE_BYTES + 1)), "it is larger than 1 MiB"),
    ],
)
def test_what_is_no_plain_file_is_left_out(folder: Path, make: Callable[[Path], object], why: str) -> None:
    (folder / "scheduler.py").unlink()
    make(folder / "scheduler.py")
    files, left_out = submitted_files(folder)
    assert set(files) == set(FILES) - {"scheduler.py"}
    assert left_out == [f"scheduler.py was not taken: {why}."]


def test_a_file_of_the_largest_size_is_taken(folder: Path) -> None:
    (folder / "helper.py").write_bytes(b"#" * MAX_FILE_BYTES)
    files, left_out = submitted_files(folder)
    assert len(files["helper.py"]) == MAX_FILE_BYTES and left_out == []


@pytest.mark.timeout(20)
@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
@pytest.mark.parametrize("exchange", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_a_file_that_is_exchanged_after_it_was_looked_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch, exchange: Callable[[Path], object]
) -> None:
    path = folder / "scheduler.py"
    looked_at = path.lstat()
    path.unlink()
    exchange(path)
    monkeypatch.setattr(Path, "lstat", lambda _: looked_at)
    with pytest.raises((OSError, ValueError)):
        read_plain_file(path)


def test_a_file_that_grew_is_not_read_whole(folder: Path) -> None:
    with (folder / "helper.py").open("wb") as file:
        file.truncate(8 << 30)
    assert submitted_files(folder)[1] == ["helper.py was not taken: it is larger than 1 MiB."]


def test_many_files_make_few_sentences(folder: Path) -> None:
    for number in range(500):
        (folder / f"{'long' * 50}{number}.py").touch()
    files, left_out = submitted_files(folder)
    assert len(files) == MAX_FILES and len(left_out) == MAX_SENTENCES + 1
    assert left_out[-1] == f"{500 + 3 - MAX_FILES - MAX_SENTENCES} further files were not taken."
    assert all(len(sentence) < 150 for sentence in left_out)


@contextlib.contextmanager
def as_nobody() -> Generator[None]:
    """Root, who runs the tests in some places, may read everything."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such rights")
def test_what_may_not_be_read_is_left_out(folder: Path) -> None:
    """A file, and then all that is in a folder."""
    for above in folder.parents:  # those that pytest has made
        if above.stat().st_uid == os.geteuid() and "pytest-" in str(above):
            above.chmod(0o755)
    (folder / "scheduler.py").chmod(0)
    with as_nobody():
        files, left_out = submitted_files(folder)
    assert set(files) == set(FILES) - {"scheduler.py"}
    assert left_out == ["scheduler.py was not taken: it can't be read: Permission denied."]
    folder.chmod(0o600)
    with as_nobody():
        files, left_out = submitted_files(folder)
    folder.chmod(0o700)
    assert files == {} and len(left_out) == len(FILES)


def test_a_link_as_the_folder_is_told(folder: Path, tmp_path: Path) -> None:
    """Who grades a class sees that one student's folder leads to another's."""
    (tmp_path / "eve").symlink_to(folder)
    assert copy_submission(tmp_path / "eve", tmp_path / "copy") == [
        "The submission's folder is a link; what it leads to was graded."
    ]
    assert grade(tmp_path / "eve", ["0"]).key == grade(folder, ["0"]).key


def test_the_flags_follow_no_link() -> None:
    if hasattr(os, "O_NOFOLLOW"):
        assert submission_files.OPEN_FLAGS & os.O_NOFOLLOW and submission_files.OPEN_FLAGS & os.O_NONBLOCK
