"""Workers on machines unlike ours: where the interpreter lies, what TMPDIR is called, how little a process may do."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from grader.grading.grade import grade
from grader.paths import ROOT, SOLUTION
from grader.proving.helpers import make_submission
from grader.worker import interpreter, sandbox
from grader.worker.client import Worker
from grader.worker.faults import WorkerDied
from grader.worker.interpreter import Interpreter, installed, is_open_to_others, link_or_copy

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux isolates")
needs_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root's workers have another user"
)

IMPORTS = "import ctypes, fractions, graphlib, sqlite3, statistics\n"
GRADE = "import sys; sys.path[:0] = [{root!r}, {starter!r}]; from grader.cli import main; sys.exit(main(sys.argv[1:]))"


@pytest.fixture
def open_folder() -> Generator[Path]:
    """That every user may enter; pytest's own are closed."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name).resolve()


def right_submission(folder: Path) -> Path:
    """The solution, whose allocator imports what the library's own files don't."""
    text = (SOLUTION / "kv_allocator.py").read_text(encoding="utf-8")
    return make_submission(folder, files={"kv_allocator.py": IMPORTS + text})


def grade_with(
    python: Path,
    submission: Path,
    temporary: Path | None = None,
    root: Path = ROOT,
    before: tuple[str, ...] = (),
    parts: str = "0,2",  # two: each in a process of its own, where there are two processors
) -> tuple[int, dict[str, object], str]:
    """Exit status, result and what was printed, of a grading of Part 2 in a process of its own."""
    path = submission.parent / "result.json"
    code = GRADE.format(root=str(root), starter=str(root / "starter"))
    environment = {**os.environ, **({} if temporary is None else {"TMPDIR": str(temporary)})}
    command = [*before, str(python), "-c", code, "grade", str(submission), "--parts", parts, "--json", str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=120)
    result = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return done.returncode, result, done.stdout + done.stderr


def assert_full_marks(outcome: tuple[int, dict[str, object], str], points: int = 20) -> None:
    status, result, printed = outcome
    full = {"level": "full", "missing": []}
    assert (status, result.get("score"), result.get("isolation")) == (0, points, full), printed


def closed_interpreter(folder: Path) -> Path:
    """A copy of this interpreter in a folder that only its owner may enter; returns its prefix."""
    real = Path(os.path.realpath(sys.executable))
    prefix = folder / "closed" / "python"
    ignore = shutil.ignore_patterns("site-packages", "dist-packages", "test", "config-*", "idlelib", "pkgconfig")
    for library in installed().folders:
        to = prefix / library.relative_to(installed().prefixes[0])
        shutil.copytree(library, to, ignore=ignore, copy_function=link_or_copy, ignore_dangling_symlinks=True)
    (prefix / "bin").mkdir()
    shutil.copy(real, prefix / "bin" / "python3")
    (folder / "closed").chmod(0o700)
    return prefix


def virtual_environment(python: Path, folder: Path) -> Path:
    """Made through `python`, with the packages of this one."""
    subprocess.run([str(python), "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    packages = next((folder / "lib").glob("python*/site-packages"))
    (packages / "ours.pth").write_text("\n".join(p for p in sys.path if "site-packages" in p) + "\n", encoding="utf-8")
    return folder / "bin" / "python"


@needs_root
def test_an_interpreter_behind_a_link_into_a_closed_home(open_folder: Path) -> None:
    """As uv and pyenv have it in root's home: the path as written is open to everybody, what it leads to is not."""
    (open_folder / "link").symlink_to(closed_interpreter(open_folder))
    python = virtual_environment(open_folder / "link" / "bin" / "python3", open_folder / "venv")
    assert_full_marks(grade_with(python, right_submission(open_folder / "submission")))


@needs_root
def test_a_temporary_folder_that_nothing_may_be_run_from(open_folder: Path) -> None:
    """The copy of the interpreter's library must lie elsewhere: its shared objects could not be loaded."""
    place = open_folder / "noexec"
    place.mkdir()
    mounted = f'mount -t tmpfs -o noexec,mode=1777 none "{place}"'
    if subprocess.run(["unshare", "--mount", "sh", "-c", mounted], capture_output=True).returncode:
        pytest.skip("this user can't mount")
    python = virtual_environment(closed_interpreter(open_folder) / "bin" / "python3", open_folder / "venv")
    before = ("unshare", "--mount", "sh", "-c", f'{mounted} && exec "$@"', "sh")
    assert_full_marks(grade_with(python, right_submission(open_folder / "submission"), place, before=before))


@needs_root
def test_no_place_for_a_copy_is_told_with_its_reason(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "OTHER_PLACES", ())
    monkeypatch.setattr(tempfile, "tempdir", str(open_folder / "a:b"))
    (open_folder / "a:b").mkdir(mode=0o755)
    monkeypatch.setattr(interpreter, "is_open_tree", lambda folder: False)
    monkeypatch.setattr(interpreter, "copied", interpreter.copied.__wrapped__)
    result = grade(SOLUTION, ["0"])
    assert result.status == "grader_error"
    assert f"no place for a copy: {open_folder / 'a:b'} has a colon in its name. Set TMPDIR to" in result.error


def test_a_standard_library_that_is_out_of_reach_costs_no_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the reason: it is found before a submission runs, and named."""
    everything = Interpreter.readable
    monkeypatch.setattr(sandbox, "LIBRARY_IS_IN_REACH", [])
    monkeypatch.setattr(sandbox, "interpreter_for", lambda other_user: interpreter.copied())  # lies nowhere else
    monkeypatch.setattr(
        Interpreter, "readable", lambda self: [path for path in everything(self) if path.name != "fractions.py"]
    )
    result = grade(SOLUTION, ["0"])
    assert (result.status, result.score) == ("grader_error", None)
    assert "can't load fractions.py of the standard library of" in result.error
    assert "PermissionError" in result.error and "right submissions would lose points" in result.error


@needs_root
def test_a_link_in_the_library_that_leads_nowhere(open_folder: Path) -> None:
    """As small images have it: Debian's sitecustomize.py without its target."""
    (open_folder / "sitecustomize.py").symlink_to(open_folder / "absent.py")
    assert interpreter.is_open_tree(open_folder)


def test_a_worker_that_dies_of_looking_is_a_fault_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def die(self: Worker, call: str, **arguments: object) -> None:
        raise WorkerDied(f"The submission's process ended during {call}().")

    monkeypatch.setattr(sandbox, "LIBRARY_IS_IN_REACH", [])
    for call in ("reach", "probe"):
        with monkeypatch.context() as patch:
            ask = Worker.call
            patch.setattr(Worker, "call", lambda s, c, call=call, ask=ask, **a: (die if c == call else ask)(s, c, **a))
            result = grade(SOLUTION, ["0"])
        assert (result.status, result.score) == ("grader_error", None) and "A worker that tried" in result.error


@needs_root
def test_shared_objects_beside_a_closed_interpreter_are_copied(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As conda has them: asked for by the name of a link, found beside the interpreter."""
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    (closed / "libx.so.8.1").write_bytes(b"x")
    (closed / "libx.so.8").symlink_to("libx.so.8.1")
    monkeypatch.setattr(tempfile, "tempdir", str(open_folder))
    names = tuple(interpreter.names_of(closed / "libx.so.8.1"))
    monkeypatch.setattr(interpreter, "installed", lambda: Interpreter((closed,), (), names, frozenset()))
    copy = interpreter.copied.__wrapped__()
    assert copy.home is not None
    assert sorted(copy.shared_objects) == [copy.home / "lib" / "libx.so.8", copy.home / "lib" / "libx.so.8.1"]
    assert all(path.read_bytes() == b"x" for path in copy.shared_objects)
    assert all(is_open_to_others(path.parent) and path.stat().st_mode & 0o004 for path in copy.shared_objects)


def test_links_are_followed_to_the_end(open_folder: Path) -> None:
    (open_folder / "closed" / "there").mkdir(parents=True)
    (open_folder / "closed").chmod(0o700)
    (open_folder / "first").symlink_to("closed/there")
    (open_folder / "second").symlink_to(open_folder / "first")
    (open_folder / "third").mkdir(mode=0o755)
    (open_folder / "third" / "fourth").symlink_to("../second")
    assert is_open_to_others(open_folder / "third")
    for name in ("first", "second", "third/fourth", "closed/there"):
        assert not is_open_to_others(open_folder / name)


@pytest.mark.parametrize("name", ["a:b", "blank, ümlaut, quote'\" and 100%"])  # with a colon, copies lie elsewhere
def test_any_name_of_the_temporary_folder(open_folder: Path, name: str) -> None:
    place = open_folder / name
    place.mkdir(mode=0o755)
    submission = right_submission(open_folder / "submission")
    assert_full_marks(grade_with(Path(sys.executable), submission, place, parts="2"), points=15)


def test_a_colon_in_a_folder_above_the_checkout(open_folder: Path) -> None:
    checkout = open_folder / "a:b" / "lab"
    ignore = shutil.ignore_patterns("selftest", "attacks", "wrong", "right", "__pycache__", "*.egg-info")
    for name in ("grader", "starter"):
        shutil.copytree(ROOT / name, checkout / name, ignore=ignore)
    submission = right_submission(open_folder / "submission")
    assert_full_marks(grade_with(Path(sys.executable), submission, root=checkout, parts="2"), points=15)


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("-f 0", "files of at most 0 bytes (ulimit -f)"),
        ("-n 30", "open at most 30 files (ulimit -n)"),
        ("-v 900000", "at most 921600000 bytes of memory (ulimit -v)"),
        ("-d 900000", "at most 921600000 bytes of data (ulimit -d)"),
        ("-t 100", "compute for at most 100 seconds (ulimit -t)"),
        ("-u 8", "at most 8 processes and threads (ulimit -u)"),
    ],
)
def test_limits_of_the_machine_are_named(open_folder: Path, option: str, sentence: str) -> None:
    """What a worker may use of something, it must be able to use: else a right submission loses points."""
    if shutil.which("bash") is None:
        pytest.skip("sh may not know ulimit -u")
    before = ("bash", "-c", f'ulimit {option}; exec "$@"', "bash")
    submission = right_submission(open_folder / "submission")
    status, result, printed = grade_with(Path(sys.executable), submission, before=before)
    assert (status, result.get("score")) == (3, None) and sentence in printed


def test_a_result_that_can_not_be_printed_is_told(open_folder: Path) -> None:
    """Standard output into a file, as in CI, where no file may grow."""
    submission = right_submission(open_folder / "submission")
    before = ("sh", "-c", f'ulimit -f 0; exec "$@" > "{open_folder}/printed.txt"', "sh")
    status, _, printed = grade_with(Path(sys.executable), submission, before=before)
    assert status == 3 and "grader: can't print the result: [Errno 27]" in printed and "Traceback" not in printed


def test_a_low_limit_that_may_be_raised_is_raised(open_folder: Path) -> None:
    before = ("sh", "-c", 'ulimit -S -f 1; ulimit -S -n 40; exec "$@"', "sh")
    submission = right_submission(open_folder / "submission")
    assert_full_marks(grade_with(Path(sys.executable), submission, before=before, parts="2"), points=15)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-"])
def test_a_closed_stream_costs_no_grading(open_folder: Path, closed: str) -> None:
    submission = right_submission(open_folder / "submission")
    status, result, printed = grade_with(
        Path(sys.executable), submission, before=("sh", "-c", f'exec "$@" {closed}', "sh")
    )
    assert (status, result.get("score")) == (0, 20), printed
