"""Runs an attack of grader/proving/attacks against the grader, which must stop it, or against a plain grader."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import grader.grading.grade
import grader.grading.run_tests
from grader.grading.grade import grade
from grader.grading.options import GradingOptions
from grader.grading.report import html_report
from grader.grading.rubric import Part, RubricTest, load_rubric
from grader.paths import ATTACKS, ROOT, SOLUTION
from grader.proving.attack import Attack, Effect, load_attack
from grader.proving.helpers import FILES
from grader.worker import channel as channel_module
from grader.worker.client import Limits, Worker
from grader.worker.isolation import IsolationWish
from grader.worker.sandbox import prepare_sandboxes

SECRETS = ("918273", "70001")  # numbers of the planted tests
LIMITS = Limits(load_seconds=0.8, call_seconds=0.3, part_seconds=6.0)
WALL_FACTOR = 3  # of the deadlines of who sleeps, so that it is met soon
CANARY_ENVIRONMENT = "GRADER_CANARY"


@dataclass
class Outcome:
    """What came of one run.

    passed   the planted tests (and plain ones, for the control) that passed
    score    None: the grader gave none
    effects  what can be seen of the attack afterwards
    left     temp folders of the grader's
    """

    passed: set[str] = field(default_factory=set)
    score: float | None = None
    status: str = ""
    effects: set[Effect] = field(default_factory=set)
    left: list[str] = field(default_factory=list)
    texts: str = ""


@dataclass
class Surroundings:
    """What an attack may aim at, in a folder that everybody may enter: its effects show there."""

    base: Path
    port: int
    listener: socket.socket
    datagrams: socket.socket
    unix: socket.socket
    victim: "subprocess.Popen[bytes] | None" = None

    CANARY = "canary-5b1c"

    @property
    def scratch(self) -> Path:
        """A folder in which everybody may write."""
        return self.base / "scratch"

    @property
    def temp(self) -> Path:
        """What the grader has as TMPDIR."""
        return self.base / "tmp"

    def fill_in(self, text: str) -> str:
        """The text with the places and numbers of these surroundings for @CANARY@ and the like."""
        names = {
            "CANARY": self.base / "canary",
            "PORT": self.port,
            "SOCKET": self.base / "socket",
            "SCRATCH": self.scratch,
            "MARK": self.base,
            "ROOT": ROOT,
        }
        for name, value in names.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    def write(self, attack: Attack) -> Path:
        """The submission: the solution with the attack's files."""
        folder = self.base / "student"
        folder.mkdir()
        for name in FILES:
            shutil.copy(SOLUTION / name, folder)
        for name, text in attack.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(self.fill_in(text), encoding="utf-8")
        if attack.build:
            attack.build(folder, self.fill_in)
        return folder

    def processes(self) -> list[int]:
        """All that show the mark on their command line, but for this process."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                with contextlib.suppress(OSError):
                    if os.fsencode(self.base) in (entry / "cmdline").read_bytes():
                        found.append(int(entry.name))
        return found

    def effects(self, output: str) -> set[Effect]:
        """What can be seen of the attack now; output: what its worker printed. Its processes are killed."""
        effects: set[Effect] = set()
        if self.CANARY in output:
            effects.add("read the canary")
        if "SUCCEEDED" in output:
            effects.add("succeeded")
        for server in (self.listener, self.unix):
            with contextlib.suppress(BlockingIOError):
                server.accept()[0].close()
                effects.add("connected")
        with contextlib.suppress(BlockingIOError):
            self.datagrams.recv(100)
            effects.add("connected")
        if any(self.scratch.iterdir()):
            effects.add("left a file")
        if self.victim is not None and self.victim.poll() is not None:
            effects.add("killed another process")
        left = [pid for pid in self.processes() if self.victim is None or pid != self.victim.pid]
        if left:
            time.sleep(0.3)  # who was killed may take a moment
            left = [pid for pid in left if pid in self.processes()]
        if left:
            effects.add("left a process")
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return effects


@contextlib.contextmanager
def surroundings(with_victim: bool) -> Generator[Surroundings]:
    """Set up in /tmp, gone afterwards; with_victim: with a process to kill"""
    base = Path(tempfile.mkdtemp(prefix="hostile-", dir="/tmp"))
    base.chmod(0o755)
    with contextlib.ExitStack() as cleanup:
        cleanup.callback(subprocess.run, ["rm", "-rf", "--", str(base)], check=False)  # as deep as the folders may be
        for name, mode in (("scratch", 0o777), ("tmp", 0o755)):
            (base / name).mkdir()
            (base / name).chmod(mode)
        (base / "canary").write_text(Surroundings.CANARY, encoding="utf-8")
        listener, datagrams = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        unix = socket.socket(socket.AF_UNIX)
        for server in (listener, datagrams, unix):
            cleanup.enter_context(server)
            server.setblocking(False)
        listener.bind(("127.0.0.1", 0))
        datagrams.bind(listener.getsockname())
        unix.bind(str(base / "socket"))
        (base / "socket").chmod(0o777)
        listener.listen()
        unix.listen()
        victim = None
        if with_victim:
            command = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(300)", str(base)]
            victim = subprocess.Popen(command)
            cleanup.callback(victim.wait)
            cleanup.callback(victim.kill)
        yield Surroundings(base, listener.getsockname()[1], listener, datagrams, unix, victim)


def planted_rubric(attack: Attack) -> dict[str, Part]:
    """The attack's part with the planted tests, a point each."""
    part = load_rubric()[attack.part]
    tests = tuple(RubricTest(test_id, part.id, 1.0, "A rule.", "A hint.") for test_id in attack.tests)
    return {part.id: Part(part.id, part.title, float(len(tests)), part.seconds, tests)}


def grade_attack(attack: Attack, folder: Path, isolate: bool) -> dict[str, Any]:
    """One grading run of the attack's part with the planted tests; what its workers printed is kept too."""
    logs: list[bytes] = []
    close = Worker.close

    def close_and_keep_log(worker: Worker) -> None:
        if not worker.is_closed:
            with contextlib.suppress(Exception):
                logs.append(worker.channel.log())
        close(worker)

    isolation: IsolationWish = "required" if isolate else "off"
    with (
        mock.patch.object(grader.grading.grade, "load_rubric", lambda: planted_rubric(attack)),
        mock.patch.object(grader.grading.run_tests, "HIDDEN_TESTS", ATTACKS / "planted"),
        mock.patch.object(channel_module, "WALL_FACTOR", WALL_FACTOR if attack.sleeps else channel_module.WALL_FACTOR),
        mock.patch.object(Worker, "close", close_and_keep_log),
    ):
        result = grade(folder, [attack.part], options=GradingOptions(limits=LIMITS, isolation=isolation))
    return {
        "status": result.status,
        "score": result.score,
        "passed": [test.id for part in result.parts for test in part.tests if test.status == "passed"],
        "texts": f"{result.to_json()}\n{html_report(result)}\n{result.error}",
        "log": b"\n".join(logs).decode("utf-8", "replace"),
    }


def graded(attack: Attack, isolate: bool) -> Outcome:
    """The outcome of a grading run, in this process or, for what may kill it, in one of its own."""
    prepare_sandboxes("required")  # in this process's own temporary folder
    with surroundings("@MARK@" in str(attack.files)) as around:
        folder = around.write(attack)
        with mock.patch.object(tempfile, "tempdir", str(around.temp)):
            if attack.kills:
                data = graded_apart(attack, folder, isolate, around)
            else:
                with mock.patch.dict(os.environ, {CANARY_ENVIRONMENT: around.CANARY}):
                    data = grade_attack(attack, folder, isolate)
        outcome = Outcome(set(data["passed"]), data["score"], data["status"], around.effects(data["log"]))
        outcome.texts = data["texts"]
        if any(secret in data["texts"] for secret in SECRETS):
            outcome.effects.add("leaked")
        outcome.left = [path.name for path in around.temp.iterdir()] if data["status"] != "killed" else []
    return outcome


def complaint(attack: Attack, isolate: bool) -> str:
    """What the attack achieved at this level that it must not; empty if it is stopped.

    Isolated: it gets exactly the points that its code deserves, and leaves nothing behind. Behind the process boundary
    alone: the same, or, for what only the operating system can stop, at least no point that it does not deserve.
    """
    outcome = graded(attack, isolate)
    passed, deserved = outcome.passed, set(attack.deserved)
    if not isolate and attack.wins_without:
        return "" if outcome.status == "graded" and passed > deserved else f"it no longer wins: {outcome.texts}"
    if isolate or not attack.needs_isolation:
        is_stopped = (outcome.status, passed, outcome.score) == ("graded", deserved, len(deserved))
        return "" if is_stopped and not outcome.effects and not outcome.left else f"{outcome}"
    if outcome.status == "graded":
        return "" if passed <= deserved and outcome.score == len(passed) else f"{outcome}"
    return "" if outcome.status in ("grader_error", "killed") and outcome.score is None else f"{outcome}"


def environment(*first: Path) -> dict[str, str]:
    """This process's own, with `first` before the repository on Python's path."""
    path = os.pathsep.join(map(str, [*first, ROOT / "starter", ROOT]))
    return {**os.environ, "PYTHONPATH": path}


def graded_apart(attack: Attack, folder: Path, isolate: bool, around: Surroundings) -> dict[str, Any]:
    """As `grade_attack`; status "killed" if there was no result in the end, "hung" if it did not come."""
    command = [sys.executable, "-m", "grader.proving.hostile", attack.name, str(folder), str(int(isolate))]
    variables = {**environment(), "TMPDIR": str(around.temp), CANARY_ENVIRONMENT: around.CANARY}
    nothing: dict[str, Any] = {"score": None, "passed": [], "texts": "", "log": ""}
    with (around.base / "output").open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=variables, cwd=ROOT, start_new_session=True
        )
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return {**nothing, "status": "hung"}
    text = (around.base / "output").read_text(encoding="utf-8")
    try:
        data: dict[str, Any] = json.loads(text)
    except ValueError:
        status = "killed" if process.returncode < 0 else "crashed"
        return {**nothing, "status": status, "texts": text}
    return data


def controlled(attack: Attack) -> Outcome:
    """The attack against a plain grader: pytest imports the submission and writes its report in the end.

    The shell stands for the script that starts pytest and reads the report.
    """
    with surroundings("@MARK@" in str(attack.files)) as around:
        folder = around.write(attack)
        tests = folder / "hidden_tests"
        shutil.copytree(ATTACKS / "plain", tests, ignore=shutil.ignore_patterns("__pycache__", "test_*"))
        for source in ("plain", "planted"):
            for path in (ATTACKS / source).glob(f"test_part{attack.part}_*.py"):
                shutil.copy(path, tests)
        options = [
            "-q",
            "-s",
            "-p",
            "no:batching_lab.testing.plugin",
            "-p",
            "no:hypothesispytest",
            "-p",
            "no:xdist",
            "--junitxml=report.xml",
        ]
        pytest = [sys.executable, "-m", "pytest", *options, *attack.control_options, str(tests)]
        variables = {**environment(folder), CANARY_ENVIRONMENT: around.CANARY}
        hangs = attack.control == "hung"
        with (around.base / "output").open("wb") as output:
            shell = subprocess.Popen(
                ["sh", "-c", '"$@"; echo $? >../status', str(around.base), *pytest],
                stdout=output,
                stderr=subprocess.STDOUT,
                env=variables,
                cwd=folder,
                start_new_session=True,
            )
            try:
                shell.wait(3 if hangs else 60)
                hung = False
            except subprocess.TimeoutExpired:
                hung = True
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(shell.pid, signal.SIGKILL)
                shell.wait()
        outcome = Outcome()
        size = (around.base / "output").stat().st_size
        text = (around.base / "output").read_bytes()[: 1 << 20].decode("utf-8", "replace")
        status = around.base / "status"
        exit_code = int(status.read_text(encoding="utf-8")) if status.exists() and not hung else None
        with contextlib.suppress(OSError, ElementTree.ParseError):
            for case in ElementTree.parse(folder / "report.xml").iter("testcase"):
                if "name" in case.attrib and not list(case):
                    outcome.passed.add(case.attrib["name"].removeprefix("test_"))
        outcome.effects = around.effects(text)
        outcome.texts = text
        honest = set(attack.deserved)
        everything = honest == set(attack.tests)
        dishonest = (outcome.passed & set(attack.tests) if honest else outcome.passed) - honest
        if not everything and (dishonest or exit_code == 0):  # some look at the exit status only
            outcome.effects.add("forged")
        if hung:
            outcome.effects.add("hung")
        elif exit_code not in (0, 1) or (exit_code == 1 and not (folder / "report.xml").exists()):
            outcome.effects.add("died")
        if size > 5_000_000:
            outcome.effects.add("flooded")
        if any(secret in text for secret in SECRETS):
            outcome.effects.add("leaked")
    return outcome


def main(name: str, folder: str, isolate: str) -> None:
    """Grade an attack and print what came of it as JSON: for `graded_apart`."""
    sys.stdout.write(json.dumps(grade_attack(load_attack(name), Path(folder), isolate == "1")))


if __name__ == "__main__":
    main(*sys.argv[1:])
