"""Runs the public tests, part by part, and reports points: what the workflow *Autograding* calls.

    python -I .github/autograde.py

It needs pytest and pytest-timeout and nothing else. The tests and the library come from lab.zip beside this file; of
the student's files it takes those that are handed in, and copies them; it may be started in any folder. Each part runs
in a process of its own, with its own copy of everything; a test that ends that process costs itself only. What is worth
how much stands in lab.zip, so a part that does not run still counts in the total.

A part's process says when pytest has collected its tests, and only then loads code of the student's. What goes wrong
before is the machine's fault: exit status 1, a sentence, and no points out of none. What goes wrong after costs points.

A student's code runs in the process of the public tests, so whoever wants to can cheat here. It does not count.
"""

import base64
import contextlib
import html
import json
import math
import os
import re
import secrets
import signal
import site
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zipfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

LAB_ZIP = Path(__file__).with_name("lab.zip")
REQUIRED = ("pytest", "pytest_timeout")
# Where pytest itself lies, these may lie elsewhere: in the system's packages, seen from a virtual environment.
NEEDED = (*REQUIRED, "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments", "colorama")
START_SECONDS = 60.0  # until pytest has collected the tests: no code of the student's has run yet
PART_SECONDS = 20.0
PARTS_AT_ONCE = 3
MAX_PROCESSES = 4  # for one part, however many of its tests end theirs
MAX_CHANNEL_BYTES = 4 << 20
MAX_MESSAGE = 2000
CHECKOUT = LAB_ZIP.resolve().parent.parent  # but for Classroom 50, which starts this file elsewhere
LAB_FILES = ("pytest.ini", "batching_lab/submission/files.py", "batching_lab/testing/plugin.py")
NOT_RUN = "It did not run: the tests before it took all the time, or ended the process too often."
NOTHING_THERE = "It did not run: there is no file to test."
ENDED = "The process ended in this test: a crash, an exit, or an endless loop that can't be stopped?"
# LD_LIBRARY_PATH: without it the Python of actions/setup-python does not start on every machine.
ENVIRONMENT = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


class Fault(Exception):
    """The tests could not be run, and the student's files are not the reason."""


class NotWritten(Exception):
    """The points can't be handed on."""


@dataclass
class Test:
    id: str
    title: str
    passed: bool = False
    message: str = NOTHING_THERE
    is_settled: bool = False


@dataclass
class Part:
    id: str
    title: str
    points: int
    section: str
    tests: list[Test] = field(default_factory=list)

    @property
    def score(self) -> int:
        """Whole points, rounded down."""
        return self.points * sum(test.passed for test in self.tests) // len(self.tests)


def main() -> int:
    if sys.argv[1:2] == ["--run-part"]:
        return run_part(*sys.argv[2:])
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # None: it was closed
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    parts: list[Part] = []
    checkout = checkout_folder()
    try:
        parts, version = read_lab(LAB_ZIP)
        write_outputs(parts)  # if this process should be killed, these stay: nothing earned, out of everything
        notes = grade(parts, checkout / "starter", checkout)
        write_outputs(parts)
        write_summary(markdown(parts, version, notes))
    except NotWritten as error:
        return report_not_written(str(error))
    except Exception as error:  # whatever it is: no zeros
        if not isinstance(error, Fault):
            traceback.print_exc()
        return report_fault(parts, one_line(without_places(str(error), [checkout])))
    for part in parts:
        print(f"Part {part.id}: {part.score} of {part.points} points")
    return 0


def checkout_folder() -> Path:
    """The current folder; elsewhere than in a checkout, that in whose .github this file lies."""
    is_elsewhere = not Path("starter").is_dir() and (CHECKOUT / "starter").is_dir()
    return CHECKOUT if is_elsewhere else Path.cwd()


def report_fault(parts: list[Part], sentence: str) -> int:
    """No zeros: an error of the step, and outputs that give no points out of none."""
    sentence = f"The public tests could not be run, so there are no points: {sentence}"
    print_error(sentence)
    with contextlib.suppress(NotWritten):  # the exit status says it
        write_outputs(parts, sentence)
    with contextlib.suppress(NotWritten):
        write_summary(f"# No points\n\n{cell(sentence)}\n")
    return 1


def report_not_written(sentence: str) -> int:
    """What could be written stays: it holds the points, if there are any yet."""
    sentence = f"The points can't be handed on, and your files are not the reason: {sentence}"
    print_error(sentence)
    with contextlib.suppress(NotWritten):
        write_summary(f"# No points\n\n{cell(sentence)}\n")
    return 1


def print_error(sentence: str) -> None:
    print(f"::error::{sentence.replace('%', '%25')}", file=sys.stderr)


def read_lab(path: Path) -> tuple[list[Part], str]:
    try:
        with zipfile.ZipFile(path) as archive:
            spoiled = archive.testzip()
            names = set(archive.namelist())
            data = json.loads(archive.read("lab.json"))
    except Exception as error:  # zipfile's own, zlib's, struct's and more: whichever a spoiled byte leads to
        raise unreadable(path, reason(error)) from None
    if spoiled is not None:
        raise unreadable(path, f"{spoiled} in it is spoiled")
    try:
        parts = [listed_part(part) for part in checked(data["parts"], list)]
        version: str = checked(data["version"], str)
        if not parts or len({part.id for part in parts}) < len(parts):
            raise ValueError("no parts, or one twice")
    except (KeyError, TypeError, ValueError):
        raise unreadable(path, "its lab.json does not list the tests") from None
    needed = {*LAB_FILES, *(test.id.partition("::")[0] for part in parts for test in part.tests)}
    if missing := sorted(needed - names):
        raise unreadable(path, f"it lacks {missing[0]}")
    return parts, version


def listed_part(data: Any) -> Part:
    """Raises `KeyError`, `TypeError` or `ValueError` for what is none."""
    tests = [Test(checked(test["id"], str), checked(test["title"], str)) for test in checked(data["tests"], list)]
    name, title, section = (checked(data[key], str) for key in ("part", "title", "section"))
    part = Part(name, title, checked(data["points"], int), section, tests)
    if not tests or part.points < 1 or not re.fullmatch(r"\w+", part.id):
        raise ValueError("no part")
    return part


def checked(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise TypeError(f"no {kind.__name__}")
    return value


def unreadable(path: Path, why: str) -> Fault:
    return Fault(f"{path.name} beside {Path(__file__).name} can't be read ({why}): restore it.")


def reason(error: Exception) -> str:
    """An `OSError` would name its file with all folders above."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def grade(
    parts: list[Part], submission: Path, checkout: Path | None = None, packages: list[str] | None = None
) -> list[str]:
    """Run all tests; return sentences about files that were left out or were changed. Raises `Fault`.

    checkout  where to look for changed files of the lab
    packages  the folders that hold pytest and what it needs; None: where this Python finds them
    """
    try:
        with tempfile.TemporaryDirectory(prefix="autograde-", ignore_cleanup_errors=True) as name:
            return grade_in(Path(name).resolve(), parts, submission, checkout, packages or package_folders())
    except (OSError, RuntimeError) as error:
        why = reason(error)
        raise Fault(f"the tests can't be copied to a folder of their own and started there ({why}).") from None


def grade_in(root: Path, parts: list[Part], submission: Path, checkout: Path | None, packages: list[str]) -> list[str]:
    with zipfile.ZipFile(LAB_ZIP) as archive:
        archive.extractall(root / "lab")
    sys.path.insert(0, str(root / "lab"))
    from batching_lab.submission.files import submitted_files

    sys.path.remove(str(root / "lab"))
    files, notes = submitted_files(submission)
    if checkout is not None:
        notes += changed_files(root / "lab", checkout)
    if not files:
        notes.append("There is no starter/scheduler.py, no starter/kv_allocator.py and no starter/answers.toml.")
        return notes
    with ThreadPoolExecutor(PARTS_AT_ONCE) as pool:
        list(pool.map(lambda part: grade_part(part, files, root / f"part{part.id}", packages), parts))
    return notes


def changed_files(lab: Path, checkout: Path) -> list[str]:
    """A sentence for each file of the lab that is another one in the checkout."""
    sentences = []
    for path in sorted([*(lab / "tests").rglob("*.py"), *(lab / "batching_lab").rglob("*.py")]):
        name = path.relative_to(lab).as_posix()
        name = name if name.startswith("tests/") else f"starter/{name}"
        try:
            is_same = (checkout / name).read_bytes().replace(b"\r\n", b"\n") == path.read_bytes()
        except OSError:
            is_same = False
        if not is_same:
            sentences.append(f"{name} is not as it was released; the released one was used.")
    return sentences


def grade_part(part: Part, files: dict[str, bytes], folder: Path, packages: list[str]) -> None:
    """Run the part's tests, in a new process for those that a crash left over, until the time is over."""
    seconds = PART_SECONDS
    attempt = 0
    while True:
        todo = [test for test in part.tests if not test.is_settled]
        if not todo:
            return
        if attempt == MAX_PROCESSES or seconds < 1:
            for test in todo:
                test.message = NOT_RUN
            return
        attempt += 1
        copy = folder / str(attempt)
        with zipfile.ZipFile(LAB_ZIP) as archive:
            archive.extractall(copy / "lab")
        (copy / "lab" / "starter").mkdir()
        for name, content in files.items():
            (copy / "lab" / "starter" / name).write_bytes(content)
        try:
            seconds -= run_once(todo, copy, packages, seconds)
        except Fault as fault:
            raise Fault(f"Part {part.id}: {without_places(str(fault), [copy / 'lab', *packages])}") from None


def run_once(tests: list[Test], folder: Path, packages: list[str], seconds: float) -> float:
    """One process. It sends a line when a test starts and one when its outcome is known.

    Returns how long its tests took. Raises `Fault` if it ends before the first one.
    """
    token = secrets.token_hex(16)
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, "--run-part", str(folder), *(test.id for test in tests)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder / "lab" / "starter",
        env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    received = bytearray()
    has_started = threading.Event()
    stdout = process.stdout

    def read() -> None:
        with stdout:
            while chunk := os.read(stdout.fileno(), 65536):
                if len(received) < MAX_CHANNEL_BYTES:
                    received.extend(chunk)
                if not has_started.is_set() and ready_line(token) in received:
                    has_started.set()
        has_started.set()  # or never will

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    with contextlib.suppress(OSError), process.stdin:  # it has died at once: nothing will be received
        process.stdin.write(f"{token}\n{json.dumps(packages)}\n".encode())
    is_known = has_started.wait(START_SECONDS)
    start = time.monotonic()
    has_ended = True
    try:
        process.wait(seconds if ready_line(token) in received else float(is_known))
    except subprocess.TimeoutExpired:
        has_ended = False
    taken = time.monotonic() - start
    end_process(process)
    reader.join(1.0)  # something that the student's code left behind may keep the other end open
    if ready_line(token) not in received:
        raise Fault(f"pytest did not start: {cause(bytes(received), process.returncode if is_known else None)}")
    settle(tests, token, bytes(received), has_ended)
    if has_ended and not any(test.is_settled for test in tests):
        raise Fault("pytest ended before the first test.")
    return taken


def ready_line(token: str) -> bytes:
    """What a process sends when pytest has collected all tests that it was asked for."""
    return f"\n{token} is ready\n".encode()


def cause(output: bytes, status: int | None) -> str:
    """Why pytest did not start: the last line that names an error, of what it and Python printed."""
    lines = [line.strip() for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    for line in reversed(lines):
        if re.search(r"\b\w*(Error|ERROR|Exception|error)\b.*:", line):
            return re.sub(r"^(INTERNALERROR>|E|ERROR:)\s+", "", line)
    if status is None:
        return f"it had not collected the tests after {START_SECONDS:g} seconds."
    return f"its process ended with the status {status}" + (f", and the words: {lines[-1]}" if lines else ".")


def end_process(process: "subprocess.Popen[bytes]") -> None:
    """With all that it has started, as far as the system can tell."""
    try:
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    except OSError:
        pass
    process.wait()


def settle(tests: list[Test], token: str, received: bytes, has_ended: bool) -> None:
    """Enter what the process said. A test that was started and has no outcome is the one that ended it."""
    by_id = {test.id: test for test in tests}
    started = None
    for line in received.split(b"\n"):
        try:
            message = json.loads(line)
            if message["token"] != token:
                continue
            test = by_id[message["id"]]
            outcome, text = message["outcome"], str(message["text"])
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if outcome == "started":
            started = test
        elif not test.is_settled:
            test.passed, test.is_settled, test.message = outcome == "passed", True, text[:MAX_MESSAGE]
    if started is not None and not started.is_settled:
        started.is_settled = True
        started.message = ENDED if has_ended else "It did not end within the part's time."


def package_folders() -> list[str]:
    """Where pytest and what it needs are installed, in the order of Python's path: of each the first that is there.

    Behind that path are the user's own packages, to which pip turns when it may not write to others, and PYTHONPATH.
    """
    further = [site.getusersitepackages(), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    everywhere = [folder for folder in [*sys.path, *further] if folder]
    path = [folder for folder in everywhere if not is_students(Path(folder))]
    specs = {name: PathFinder.find_spec(name, path) for name in NEEDED}
    if missing := [name for name in REQUIRED if specs[name] is None]:
        is_inside = any(PathFinder.find_spec(name, everywhere) for name in missing)
        where = " outside the checkout, and packages inside the checkout are not taken" if is_inside else ""
        names = " and ".join(missing)
        raise Fault(f"{names} can't be found{where}: python -m pip install -r .github/requirements.txt")
    files = [Path(spec.origin) for spec in specs.values() if spec is not None and spec.origin]
    folders = dict.fromkeys(str(file.parents[file.stem == "__init__"]) for file in files)
    return sorted(folders, key=lambda folder: path.index(folder) if folder in path else len(path))


def is_students(folder: Path) -> bool:
    """Does it lie in the checkout? An environment that was made there is none of the student's files."""
    folder = folder.resolve()
    return folder.is_relative_to(checkout_folder().resolve()) and not folder.is_relative_to(Path(sys.prefix).resolve())


def run_part(folder: str, *test_ids: str) -> int:
    """In the part's own process: no .pth file, no sitecustomize and no folder of the student's is on the path yet.

    What is printed goes to the parent until pytest has collected the tests, and nowhere after that.
    """
    token = sys.stdin.readline().strip()
    packages = json.loads(sys.stdin.readline())
    channel = os.dup(1)
    os.set_inheritable(channel, False)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    sys.argv = [sys.argv[0]]
    lab = Path(folder, "lab")
    sys.path[:0] = [str(lab)]
    sys.path += packages
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    import pytest

    def send(test_id: str, outcome: str, text: str) -> None:
        line = json.dumps({"token": token, "id": test_id, "outcome": outcome, "text": text[:MAX_MESSAGE]})
        os.write(channel, line.encode() + b"\n")

    class Channel:
        passed: str | None = None

        def pytest_collection_finish(self, session: Any) -> None:
            if session.testsfailed or {item.nodeid for item in session.items} != set(test_ids):
                return
            sys.stdout.flush()
            for descriptor in (1, 2):
                os.dup2(nowhere, descriptor)
            os.write(channel, ready_line(token))

        def pytest_runtest_logstart(self, nodeid: str) -> None:
            self.passed = None
            send(nodeid, "started", "")

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed:
                self.passed = None
                text = without_places(failure_text(report), [lab])
                send(report.nodeid, "failed", text)
            elif report.when == "call" and report.passed:
                self.passed = report.nodeid
            elif report.when == "teardown" and self.passed == report.nodeid:
                send(report.nodeid, "passed", "")

    arguments = [
        *("-c", str(lab / "pytest.ini"), "--rootdir", str(lab), "--confcutdir", str(lab)),
        *("-p", "pytest_timeout", "-p", "no:cacheprovider", "--import-mode", "importlib"),
        *("--capture", "no", "--assert", "plain", "-q"),
        *(f"../{test_id}" for test_id in test_ids),  # from the current folder: TMPDIR may hold `::` and `[`
    ]
    return int(pytest.main(arguments, plugins=[Channel()]))


def failure_text(report: Any) -> str:
    """The text that `pytest` shows; for what is not done yet, without an exception."""
    text = str(report.longrepr)
    if getattr(report, "lab_category", "") != "to do":
        return text
    place = re.search(r"raised NotImplementedError\.\n +(\S+, line \d+, in \S+):", text)
    text = text.replace("Your code raised NotImplementedError", "Not done yet", 1)
    return text.replace("Not done yet.", f"Not done yet: {place[1]}.", 1) if place else text


def without_places(text: str, folders: Iterable[Path | str]) -> str:
    """Of what lies in these folders, or where Python imports from, only the name from there on."""
    places = [Path(folder) for folder in [CHECKOUT, *folders, *sys.path]]
    known = {str(form) for place in places if place.is_absolute() for form in (place, place.resolve())}
    for folder in sorted(known, key=len, reverse=True):
        if len(Path(folder).parts) > 1:  # not the root
            name = rf"(?<![\w.-])(?:{re.escape(folder)}|{re.escape(repr(folder)[1:-1])})"
            text = re.sub(rf"{name}[\\/]+(?=[\w.])", "", text)
            text = re.sub(rf"{name}(?![\w.-])", ".", text)
    return text


def contract(parts: list[Part], fault: str = "") -> str:
    """The output `result` that the autograding reporter reads: base64 of JSON, whole numbers, always with `tests`."""
    data: dict[str, Any]
    if fault:
        data = {"version": 1, "status": "error", "max_score": 0, "tests": [entry("Autograding", "error", 0, fault)]}
    else:
        score, maximum = sum(part.score for part in parts), sum(part.points for part in parts)
        title = f"Part {parts[0].id}: " if len(parts) == 1 else ""
        failed = {
            f"{'' if title else f'Part {part.id}: '}{test.id.rpartition('::')[2]}": one_line(first_sentence(test))
            for part in parts
            for test in part.tests
            if not test.passed
        }
        status = "fail" if failed else "pass"
        entries = point_entries(title, score, maximum, failed)
        data = {"version": 1, "status": status, "max_score": maximum, "tests": entries}
    return base64.b64encode(json.dumps(data).encode()).decode()


def point_entries(title: str, score: int, maximum: int, failed: dict[str, str]) -> list[dict[str, Any]]:
    """As few entries of the same worth as there can be, the lost ones with the names of the tests that failed.

    The reporter's notice adds up scores, but its table takes passed entries / all entries of the maximum: both are the
    same when all entries are worth the same. Of an entry that did not pass it prints the name, but not the message.

    failed  name -> message
    """
    worth = math.gcd(score, maximum)
    num_earned = score // worth if worth else int(not failed)
    num_lost = (maximum - score) // worth if worth else int(bool(failed))
    points = f"{title}{worth} point{'' if worth == 1 else 's'}"
    entries = [entry(points, "pass", worth, "") for _ in range(num_earned)]
    names = list(failed)
    for n in range(num_lost):
        first = n * len(names) // num_lost
        some = names[first : max(first + 1, (n + 1) * len(names) // num_lost)]
        name = f"{points} lost by {', '.join(some)}" if some else f"{points} lost"
        entries.append(entry(name, "fail", 0, " ".join(failed[name] for name in some)))
    return entries


def entry(name: str, status: str, score: int, message: str) -> dict[str, Any]:
    """What the reporter calls a test. Its texts are printed as they are: on one line they can't give a command."""
    return {
        "name": " ".join(name.split()),
        "status": status,
        "score": score,
        "message": " ".join(message.split()),
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": 0,
    }


def write_outputs(parts: list[Part], fault: str = "") -> None:
    """`result` for all, `part0` and so on for each. When a name is written twice, the later one holds."""
    outputs = {"result": contract(parts, fault), **{f"part{part.id}": contract([part], fault) for part in parts}}
    append("GITHUB_OUTPUT", "".join(f"{name}={value}\n" for name, value in outputs.items()))


def write_summary(text: str) -> None:
    append("GITHUB_STEP_SUMMARY", text)


def append(variable: str, text: str) -> None:
    """To the file that an environment variable names, if it is set. Raises `NotWritten`."""
    if path := os.environ.get(variable):
        try:
            with Path(path).open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise NotWritten(f"the file that {variable} names can't be written ({reason(error)}).") from None


def markdown(parts: list[Part], version: str, notes: list[str]) -> str:
    """What a student reads on the page of the run."""
    total, maximum = sum(part.score for part in parts), sum(part.points for part in parts)
    lines = [f"# {total} of {maximum} points", ""]
    lines += ["| Part | | Tests | Points | First to look at | Read |", "|---|---|---|---|---|---|"]
    for part in parts:
        failed = next((test for test in part.tests if not test.passed), None)
        passed = sum(test.passed for test in part.tests)
        look = "" if failed is None else cell(first_sentence(failed))
        title = cell(part.title)
        count = f"{passed} of {len(part.tests)}"
        lines.append(
            f"| {part.id} | {title} | {count} | **{part.score}** of {part.points} | {look} | {handout(part)} |"
        )
    lines.append("")
    for part in parts:
        failed = next((test for test in part.tests if not test.passed), None)
        if failed is not None:
            lines += [f"<details><summary>Part {part.id}: {html.escape(one_line(failed.title))}</summary>", ""]
            lines += [fenced(failed.message), "", f"`pytest -k {failed.id.rpartition('::')[2].partition('[')[0]}`", ""]
            lines += ["</details>", ""]
    lines += [f"- {cell(note)}" for note in notes]
    estimate = "The points are an estimate: what counts is the staff's grading with hidden tests."
    lines += ["", f"Public tests of release {version}. {estimate}", ""]
    return "\n".join(lines)


def handout(part: Part) -> str:
    """A link to the part's section, at the commit that was graded."""
    server, repository, commit = (os.environ.get(f"GITHUB_{n}", "") for n in ("SERVER_URL", "REPOSITORY", "SHA"))
    place = f"handout.md#{part.section}"
    if server and repository and commit:
        return f"[handout]({server}/{repository}/blob/{commit}/{place})"
    return f"`{place}`"


def first_sentence(test: Test) -> str:
    """What is wrong. A failure's text is the test's title, an empty line, and then what was seen."""
    lines = [line for line in test.message.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0] == test.title:
        return lines[1]
    return lines[0] if lines else ""


def one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300]


def cell(text: str) -> str:
    """Text that stays text in Markdown, also in a table: some of it comes from the student's code."""
    return re.sub(r"([\\`*_\[\]|~@#])", r"\\\1", html.escape(one_line(text), quote=False))


def fenced(text: str) -> str:
    """A block of plain text; its fence is longer than any in the text."""
    text = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}"


if __name__ == "__main__":
    sys.exit(main())
