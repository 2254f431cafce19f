"""Runs the public tests, part by part, and reports points: what the workflow *Autograding* calls.

    python -I .github/autograde.py

It needs pytest and pytest-timeout and nothing else. The tests and the library come from lab.zip beside this file; of
the student's files it takes those that are handed in, and copies them. Each part runs in a process of its own, with
its own copy of everything; a test that ends that process costs itself only. What is worth how much stands in lab.zip,
so a part that does not run still counts in the total.

A student's code runs in the process of the public tests, so whoever wants to can cheat here. It does not count.
"""

import base64
import html
import importlib.util
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

LAB_ZIP = Path(__file__).with_name("lab.zip")
PART_SECONDS = 20.0
PARTS_AT_ONCE = 3
MAX_PROCESSES = 4  # for one part, however many of its tests end theirs
MAX_CHANNEL_BYTES = 4 << 20
MAX_MESSAGE = 2000
NOT_RUN = "It did not run: the tests before it took all the time, or ended the process too often."
NEVER_STARTED = "It did not run: pytest did not start."
ENDED = "The process ended in this test: a crash, an exit, or an endless loop that can't be stopped?"


@dataclass
class Test:
    id: str
    title: str
    passed: bool = False
    message: str = NEVER_STARTED
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

    def test_scores(self) -> list[int]:
        """Whole points for each test that add up to `score`."""
        scores, passed = [], 0
        for test in self.tests:
            before = self.points * passed // len(self.tests)
            passed += test.passed
            scores.append(self.points * passed // len(self.tests) - before)
        return scores

    def test_max_scores(self) -> list[int]:
        count = len(self.tests)
        return [self.points * (n + 1) // count - self.points * n // count for n in range(count)]


def main() -> int:
    if sys.argv[1:2] == ["--run-part"]:
        return run_part(*sys.argv[2:])
    checkout = Path.cwd()
    parts, version = read_lab(LAB_ZIP)
    write_outputs(parts)  # if this process should be killed, these stay: nothing earned, out of everything
    notes = grade(parts, checkout / "starter", checkout)
    write_outputs(parts)
    summary = markdown(parts, version, notes)
    if path := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write(summary)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    for part in parts:
        print(f"Part {part.id}: {part.score} of {part.points} points")
    return 0


def read_lab(path: Path) -> tuple[list[Part], str]:
    with zipfile.ZipFile(path) as archive:
        data = json.loads(archive.read("lab.json"))
    parts = [
        Part(entry["part"], entry["title"], entry["points"], entry["section"], [Test(**t) for t in entry["tests"]])
        for entry in data["parts"]
    ]
    return parts, data["version"]


def grade(parts: list[Part], submission: Path, checkout: Path | None = None, packages: str | None = None) -> list[str]:
    """Run all tests; return sentences about files that were left out or were changed.

    checkout  where to look for changed files of the lab
    packages  the folder that holds pytest; None: where this Python finds it
    """
    packages = packages or packages_folder()
    with tempfile.TemporaryDirectory(prefix="autograde-", ignore_cleanup_errors=True) as name:
        root = Path(name).resolve()
        with zipfile.ZipFile(LAB_ZIP) as archive:
            archive.extractall(root / "lab")
        sys.path.insert(0, str(root / "lab"))
        from batching_lab.manifest import submitted_files

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


def grade_part(part: Part, files: dict[str, bytes], folder: Path, packages: str) -> None:
    """Run the part's tests, in a new process for those that a crash left over, until the time is over."""
    deadline = time.monotonic() + PART_SECONDS
    attempt = 0
    while True:
        todo = [test for test in part.tests if not test.is_settled]
        if not todo:
            return
        if attempt == MAX_PROCESSES or deadline - time.monotonic() < 1:
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
        run_once(todo, copy, packages, deadline)
        if not any(test.is_settled for test in todo):
            return


def run_once(tests: list[Test], folder: Path, packages: str, deadline: float) -> None:
    """One process. It sends a line when a test starts and one when its outcome is known."""
    token = secrets.token_hex(16)
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", __file__, "--run-part", str(folder), packages, *(test.id for test in tests)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder / "lab" / "starter",
        env={name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR") if name in os.environ},
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    received = bytearray()
    stdout = process.stdout

    def read() -> None:
        while chunk := os.read(stdout.fileno(), 65536):
            if len(received) < MAX_CHANNEL_BYTES:
                received.extend(chunk)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    try:
        process.stdin.write(token.encode() + b"\n")
        process.stdin.close()
    except OSError:
        pass  # it has died at once: nothing will be received
    has_ended = True
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        has_ended = False
    end_process(process)
    reader.join(1.0)  # something that the student's code left behind may keep the other end open
    settle(tests, token, bytes(received), has_ended)


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


def packages_folder() -> str:
    """Where pytest is installed."""
    spec = importlib.util.find_spec("pytest")
    if spec is None or spec.origin is None:
        raise SystemExit("pytest is not installed: pip install -r .github/requirements.txt")
    return str(Path(spec.origin).parents[1])


def run_part(folder: str, packages: str, *test_ids: str) -> int:
    """In the part's own process: no .pth file, no sitecustomize and no folder of the student's is on the path yet."""
    token = sys.stdin.readline().strip()
    channel = os.dup(1)
    os.set_inheritable(channel, False)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    sys.argv = [sys.argv[0]]
    lab = Path(folder, "lab")
    sys.path[:0] = [str(lab)]
    sys.path.append(packages)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    import pytest

    def send(test_id: str, outcome: str, text: str) -> None:
        line = json.dumps({"token": token, "id": test_id, "outcome": outcome, "text": text[:MAX_MESSAGE]})
        os.write(channel, line.encode() + b"\n")

    class Channel:
        passed: str | None = None

        def pytest_runtest_logstart(self, nodeid: str) -> None:
            self.passed = None
            send(nodeid, "started", "")

        def pytest_runtest_logreport(self, report: Any) -> None:
            if report.failed:
                self.passed = None
                send(report.nodeid, "failed", failure_text(report))
            elif report.when == "call" and report.passed:
                self.passed = report.nodeid
            elif report.when == "teardown" and self.passed == report.nodeid:
                send(report.nodeid, "passed", "")

    arguments = [
        *("-c", str(lab / "pytest.ini"), "--rootdir", str(lab), "--confcutdir", str(lab)),
        *("-p", "pytest_timeout", "-p", "no:cacheprovider", "--import-mode", "importlib"),
        *("--capture", "no", "--assert", "plain", "-q"),
        *(str(lab / test_id) for test_id in test_ids),
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


def contract(parts: list[Part]) -> str:
    """The output `result` that the autograding reporter reads: base64 of JSON, whole numbers, always with `tests`."""
    tests = []
    for part in parts:
        for test, score in zip(part.tests, part.test_scores(), strict=True):
            tests.append(
                {
                    "name": f"Part {part.id}: {one_line(test.title)}",
                    "status": "pass" if test.passed else "fail",
                    "score": score,
                    "message": one_line(first_sentence(test)),
                    "test_code": "",
                    "filename": test.id.partition("::")[0],
                    "line_no": 0,
                    "duration": 0,
                }
            )
    is_complete = all(test.passed for part in parts for test in part.tests)
    data = {
        "version": 1,
        "status": "pass" if is_complete else "fail",
        "max_score": sum(part.points for part in parts),
        "tests": tests,
    }
    return base64.b64encode(json.dumps(data).encode()).decode()


def write_outputs(parts: list[Part]) -> None:
    """`result` for all, `part0` and so on for each. When a name is written twice, the later one holds."""
    if path := os.environ.get("GITHUB_OUTPUT"):
        with Path(path).open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"result={contract(parts)}\n")
            for part in parts:
                file.write(f"part{part.id}={contract([part])}\n")


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
