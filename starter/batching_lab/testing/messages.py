"""What a student sees: which tick went wrong and why, what is still to do, and the points so far."""

import linecache
import os
import sys
import threading
import traceback
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import pytest

from batching_lab.errors import RuleViolation, SubmissionError
from batching_lab.harness import Harness, Mismatch, StoppedRun
from batching_lab.submission.python_version import GRADING_PYTHON, version_text
from batching_lab.tables import format_table
from batching_lab.testing.grading_python import annotation_sentence
from batching_lab.testing.rerun import run_again
from batching_lab.testing.watchdog import EndlessLoop

PARTS = {
    "0": ("Predictions (their form only)", 5),
    "1": ("Static and continuous batching", 15),
    "2": ("KV block allocator", 15),
    "3": ("Two budgets", 20),
    "4": ("Chunked prefill", 15),
    "5": ("Preemption with recompute", 20),
    "6-cpu": ("The real model, right on the CPU", 4),
}
MODEL_PART = "6-cpu"


class NeedsPart2(Exception):
    """A test of Parts 3 to 6 can't run before the student's allocator works."""


@dataclass
class PartCount:
    """The tests of one part.

    to_do  what is not done yet -> how many tests wait for it
    """

    collected: int = 0
    passed: int = 0
    to_do: dict[str, int] = field(default_factory=dict)


class ReportPlugin:
    """Turns outcomes into sentences, and ends the run with a list of what is to do and a table of points."""

    def __init__(self, config: pytest.Config, folder: Path, shown_folder: str) -> None:
        self.config = config
        self.folder = folder
        self.shown_folder = shown_folder
        self.parts = {part: PartCount() for part in PARTS}
        self.unusable: dict[str, int] = {}
        self.skipped: dict[str, str] = {}  # part -> why; what is skipped is worth no points, but costs none either
        self.num_deselected = 0
        self.wants_tracebacks = config.option.tbstyle != "auto"
        if not self.wants_tracebacks:
            config.option.tbstyle = "native"  # ours replace pytest's own, which take it seconds to make

    def pytest_report_header(self) -> str:
        """Say which folder is tested."""
        return f"submission: {self.shown_folder}"

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Count what will not run."""
        self.num_deselected += len(items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Count each part's tests."""
        for item in session.items:
            if part_of(item) in self.parts:
                self.parts[part_of(item)].collected += 1

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
        """Count an outcome, and put our sentences in the place of pytest's traceback."""
        report = yield
        part = self.parts.get(part_of(item))
        if part is None:
            return report
        if report.when == "call" and report.passed:
            part.passed += 1
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, pytest.skip.Exception):
            part.collected -= 1
            self.skipped[part_of(item)] = str(error)
        if error is None or isinstance(error, pytest.skip.Exception) or self.wants_tracebacks:
            return report
        if isinstance(error, NotImplementedError | NeedsPart2):
            to_do = str(error) if isinstance(error, NeedsPart2) else self.what_is_to_do(error)
            part.to_do[to_do] = part.to_do.get(to_do, 0) + 1
            report.lab_category = "to do"
        elif isinstance(error, SubmissionError):
            self.unusable[str(error)] = self.unusable.get(str(error), 0) + 1
            report.lab_category = "unusable"
        report.longrepr = "\n".join([title_of(item), "", *self.explain(error, item)])
        return report

    def pytest_report_teststatus(self, report: Any) -> tuple[str, str, str] | None:
        """Two outcomes of our own: to do, and unusable."""
        category = getattr(report, "lab_category", None)
        if category == "to do":
            return "to do", "-", "TO DO"
        if category == "unusable":
            return "unusable", "x", "UNUSABLE"
        return None

    def explain(self, error: BaseException, item: pytest.Item) -> list[str]:
        """The lines of a failure: what, which rule, the ticks, and how to run it again."""
        lines: list[str] = []
        if isinstance(error, Mismatch):
            lines += str(error).splitlines()
        elif isinstance(error, RuleViolation):
            lines += str(error).replace(". Rule: ", ".\nRule: ").splitlines()
            lines += error.table.splitlines() if isinstance(error, StoppedRun) else []
        elif isinstance(error, EndlessLoop):
            lines.append(f"The test had not ended after {self.config.getini('timeout')} seconds: an endless loop?")
            lines += self.frames(error.__traceback__, last_only=True)
        elif isinstance(error, SubmissionError | NeedsPart2):
            lines.append(f"{error}.")
        else:
            what = f": {error}" if str(error) else ""
            lines.append(f"Your code raised {type(error).__name__}{what}{self.tick_text(error)}.")
            lines += self.frames(error.__traceback__)
            if sentence := annotation_sentence(error, self.folder):
                lines.append(f"{sentence}.")
        harness = getattr(item, "funcargs", {}).get("lab")
        if isinstance(harness, Harness) and harness.workload is not None:
            lines += ["", run_again(harness.workload, self.shown_folder)]
        return lines

    def frames(self, step: TracebackType | None, last_only: bool = False) -> list[str]:
        """The lines of the submission that an exception came through; without any, the last line at all."""
        steps = list(traceback.walk_tb(step))
        own = [(frame, line) for frame, line in steps if Path(frame.f_code.co_filename).parent == self.folder]
        chosen = (own or steps)[-1:] if last_only or not own else own
        lines = [frame_text(frame, line) for frame, line in chosen]
        return lines if len(lines) <= 6 else [*lines[:3], f"  ... {len(lines) - 6} more ...", *lines[-3:]]

    def tick_text(self, error: BaseException) -> str:
        """The tick in which the loop was when it was raised, if it was."""
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if frame.f_code.co_name == "serve" and "tick" in frame.f_locals:
                return f" (in tick {frame.f_locals['tick']})"
        return ""

    def what_is_to_do(self, error: BaseException) -> str:
        """The function that is not done yet."""
        if str(error):
            return str(error)
        frame, _ = list(traceback.walk_tb(error.__traceback__))[-1]
        return f"{frame.f_code.co_qualname} in {Path(frame.f_code.co_filename).name}"

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the summary."""
        for line in self.summary():
            terminalreporter.write_line(line)

    def summary(self) -> list[str]:
        """What is to do, what can't be used, and the table of points."""
        lines = []
        for sentence, count in self.unusable.items():
            lines += ["", f"{sentence}. ({number(count, 'test')} could not run.)"]
        to_do = [(part, what) for part, counts in self.parts.items() for what in counts.to_do]
        if to_do:
            lines += ["", "Still to do:"]
            lines += [f"  Part {part}: {what} ({number(self.parts[part].to_do[what], 'test')})" for part, what in to_do]
        rows = []
        for part, (title, points) in PARTS.items():
            counts = self.parts[part]
            if counts.collected:
                earned = points * counts.passed / counts.collected
                rows.append((part, title, f"{counts.passed} of {counts.collected}", f"{earned:.1f} / {points}"))
        if rows:
            total = sum(PARTS[row[0]][1] * self.parts[row[0]].passed / self.parts[row[0]].collected for row in rows)
            rows.append(("", "Total", "", f"{total:.1f} / {sum(PARTS[row[0]][1] for row in rows)}"))
            lines += ["", format_table(("part", "title", "tests passed", "points"), rows)]
            grading = f"Python {version_text(GRADING_PYTHON)}"
            lines.append(f"The points are an estimate: hidden tests decide. They are run by {grading}.")
            if self.config.args_source is pytest.Config.ArgsSource.ARGS:
                lines.append("Only the tests named on the command line are counted.")
            if self.num_deselected:
                lines.append(f"{number(self.num_deselected, 'test')} did not run and are not counted here.")
        if self.skipped:
            lines.append("")
            lines += [f"Part {part} did not run: {reason}." for part, reason in self.skipped.items()]
        return lines

    def give_up(self, item: pytest.Item | pytest.Collector) -> None:
        """A test can't be stopped: say so, show the points, and end the process. Runs in the watchdog's thread."""
        frame: FrameType | None = sys._current_frames().get(threading.main_thread().ident or 0)
        while frame is not None and Path(frame.f_code.co_filename).parent != self.folder:
            frame = frame.f_back
        capture = self.config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture()
        name = item.name or "BlockAllocator"  # a session has no name: the check before Parts 3 to 5
        lines = ["", f"{name} does not end and can't be stopped: an endless loop that catches every exception?"]
        if frame is not None:
            lines.append(frame_text(frame, frame.f_lineno))
        lines += ["The tests after it did not run.", *self.summary()]
        sys.__stdout__.write("\n".join(lines) + "\n")  # type: ignore[union-attr]
        sys.__stdout__.flush()  # type: ignore[union-attr]
        os._exit(1)


def part_of(item: pytest.Item) -> str:
    """`3` for a test in test_part3_budgets.py, `6-cpu` for one in test_part6_model.py."""
    name = item.path.name
    if name.startswith("test_part6"):
        return MODEL_PART
    return name[len("test_part")] if name.startswith("test_part") else ""


def title_of(item: pytest.Item) -> str:
    """The first line of the test's docstring."""
    doc = getattr(getattr(item, "function", None), "__doc__", None)
    return doc.strip().splitlines()[0] if doc else item.name


def frame_text(frame: FrameType, line: int) -> str:
    """The file, the line and the code of a step of a traceback."""
    path = Path(frame.f_code.co_filename)
    source = linecache.getline(str(path), line).strip()
    return f"  {path.name}, line {line}, in {frame.f_code.co_name}: {source}"


def number(count: int, noun: str) -> str:
    """`1 test`, `2 tests`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
