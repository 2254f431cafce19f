"""`make nightly`: all that the grader promises, tried in full, and grader/proving/REPORT.md with what came of it.

It takes some twenty minutes on two cores. `make test` tries a part of it, and fails while the report is older than
what it is about.
"""

import argparse
import datetime
import multiprocessing
import os
import platform
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from grader.grading.grade import grade
from grader.grading.options import GradingOptions
from grader.paths import GRADER, RIGHT, SOLUTION, Use, digest_for
from grader.proving.attack import NAMES, load_attack
from grader.proving.benchmarks.bench import grading_rows, scheduler_rows
from grader.proving.helpers import make_submission
from grader.proving.hostile import complaint, controlled
from grader.proving.markdown_table import markdown_table
from grader.proving.mutants import load_explanations
from grader.proving.mutants import run as run_mutants
from grader.proving.steady import UNDECIDED, busy_machine, outcomes_of
from grader.proving.wrong import all_faults, outcomes, write_submission
from grader.worker.client import Limits

T = TypeVar("T")
R = TypeVar("R")
REPORT = GRADER / "proving" / "REPORT.md"
REPEATS = 20
HANGS = ("while True: pass", "import time\n        while True: time.sleep(1000)")


class NightlyReport:
    """Markdown, and what did not come out as it must."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.failures: list[str] = []

    def section(self, title: str, *sentences: str) -> None:
        """Print it, and add it to the page."""
        print(title, *sentences, sep="\n", flush=True)
        self.lines += ["", f"## {title}", "", *sentences]

    def table(self, head: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
        """A table on the page."""
        self.lines += ["", *markdown_table(head, rows)]


def in_processes(work: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Two at a time, each in a process of its own kind that serves many."""
    as_usual = (signal.SIGTERM, signal.SIG_DFL)  # for who began it a SIGTERM is a Ctrl-C
    with multiprocessing.get_context("fork").Pool(2, signal.signal, as_usual, maxtasksperchild=20) as pool:
        return pool.map(work, items, chunksize=1)


def right_score(folder: Path) -> tuple[str, float, float]:
    """Name, score, and the most that there is, of one right submission."""
    with tempfile.TemporaryDirectory() as name:
        result = grade(make_submission(Path(name, "submission"), base=folder))
    return folder.name, result.score or 0.0, result.max_score


def report_right(report: NightlyReport) -> None:
    """All right submissions get full marks."""
    folders = [SOLUTION, *sorted(path for path in RIGHT.iterdir() if path.is_dir())]
    scores = in_processes(right_score, folders)
    full = [name for name, score, max_score in scores if score == max_score]
    report.failures += [f"{name}: {score:g} of {max_score:g}" for name, score, max_score in scores if name not in full]
    report.section("Right submissions", f"{len(full)} of {len(scores)} get full marks: {', '.join(full)}.")


def attack_result(name: str) -> tuple[str, str, str]:
    """What it achieved isolated, behind the boundary alone, and whether it did as it says against the plain grader."""
    attack = load_attack(name)
    isolated = complaint(attack, isolate=True)
    boundary = "" if attack.only_isolated else complaint(attack, isolate=False)
    control = ""
    if attack.expected_control and attack.expected_control not in controlled(attack).effects:
        control = "it does not succeed against the plain grader"
    return isolated, boundary, control


def report_attacks(report: NightlyReport) -> None:
    """All attacks, at both levels and against the plain grader."""
    results = dict(zip(NAMES, in_processes(attack_result, NAMES), strict=True))
    tried, isolated, boundary, shown = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    wins: list[str] = []
    for name, complaints in results.items():
        attack = load_attack(name)
        tried[attack.mechanism] += 1
        isolated[attack.mechanism] += not complaints[0]
        boundary[attack.mechanism] += not complaints[1] and not attack.wins_without
        shown[attack.mechanism] += bool(attack.expected_control) and not complaints[2]
        if attack.wins_without:
            wins.append(f"{name} ({attack.wins_without})")
        report.failures += [f"{name}: {text[:500]}" for text in complaints if text]
    report.section(
        "Hostile submissions",
        f"{sum(tried.values())} attacks of {len(tried)} mechanisms. Isolated: {sum(isolated.values())} stopped. Behind "
        f"the process boundary alone: {sum(boundary.values())} win no point. {sum(shown.values())} were shown to "
        "succeed against a plain in-process grader; the others say why that can't be shown.",
        *([f"Without the operating system's isolation these win points: {', '.join(wins)}."] if wins else []),
    )
    report.table(
        ("mechanism", "tried", "stopped when isolated", "no point behind the boundary alone", "shown to succeed"),
        [(name, tried[name], isolated[name], boundary[name], shown[name]) for name in sorted(tried)],
    )


def wrong_result(name: str) -> tuple[str, list[str]]:
    """What its student is told by the first of the tests that it names, and which of them it passes."""
    fault = next(fault for fault in all_faults() if fault.name == name)
    with tempfile.TemporaryDirectory() as folder:
        results = outcomes(fault, write_submission(fault, Path(folder, name)))
    return results[fault.caught_by[0]].message, [test for test in fault.caught_by if results[test].status == "passed"]


def report_wrong(report: NightlyReport) -> None:
    """All planted faults fail all tests that they name."""
    faults = all_faults()
    results = in_processes(wrong_result, [fault.name for fault in faults])
    caught = [fault for fault, (_, passes) in zip(faults, results, strict=True) if not passes]
    per_part = Counter(fault.part for fault in caught)
    report.failures += [
        f"{fault.name} passes {', '.join(passes)}" for fault, (_, passes) in zip(faults, results, strict=True) if passes
    ]
    parts = ", ".join(f"{per_part[part]} in Part {part}" for part in sorted(per_part))
    report.section(
        "Known-wrong submissions",
        f"{len(caught)} of {len(faults)} are caught by every hidden test that they name: {parts}.",
    )
    report.table(
        ("fault", "the student thought", "part", "what the student is told"),
        [(f.name, f.thought, f.part, message) for f, (message, _) in zip(faults, results, strict=True)],
    )


def report_mutants(report: NightlyReport) -> None:
    """All mutants are killed or explained."""
    tally = run_mutants(jobs=2)
    total = tally.killed + tally.timed_out + tally.equivalent + tally.survived
    report.failures += tally.complaints
    report.section(
        "Mutants of the solution",
        f"{total} mutants: {tally.killed} killed, {tally.timed_out} killed because they did not end, "
        f"{tally.equivalent} equivalent, {tally.survived} survived unexplained.",
    )
    report.table(
        ("file", "function", "line", "mutated", "why no test can tell"),
        [(e.file, e.function, f"`{e.original}`", f"`{' / '.join(e.mutated)}`", e.reason) for e in load_explanations()],
    )


def report_steadiness(report: NightlyReport) -> None:
    """Repeated gradings give the same, also on a busy machine."""
    with tempfile.TemporaryDirectory() as name, busy_machine():
        undecided = outcomes_of(make_submission(Path(name, "undecided"), UNDECIDED), REPEATS)
        solution = outcomes_of(SOLUTION, REPEATS)
    for what, seen in (("the undecided scheduler", undecided), ("the solution", solution)):
        if len(seen) != 1:
            report.failures.append(f"{what} got {len(seen)} different results in {REPEATS} gradings")
    report.section(
        "Steadiness",
        f"{REPEATS} gradings each, tests in random order, all processors busy: {len(solution)} result of the solution, "
        f"{len(undecided)} of a scheduler that iterates over sets of objects and draws random numbers "
        "(scores, states and messages compared byte by byte).",
    )


def report_scheduling(report: NightlyReport) -> None:
    """What the solution's scheduler costs a tick."""
    report.section("Scheduling", "Processor time of a tick's schedule and update, each pair in turns in one process.")
    report.table(("what", "solution", "compared with", "ratio"), scheduler_rows())


def report_time(report: NightlyReport) -> None:
    """How long gradings take."""
    costs_of_isolation = [f"{ours}, {others} (ratio {ratio})" for _, ours, others, ratio in grading_rows()]
    costs = []
    for body in HANGS:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name, "hangs")
            folder.mkdir()
            methods = ("__init__", "add_request", "abort", "schedule", "update", "has_unfinished")
            text = "".join(f"    def {method}(self, *_):\n        {body}\n" for method in methods)
            (folder / "scheduler.py").write_text(
                f"class StaticScheduler:\n{text}\nContinuousScheduler = StaticScheduler\n", encoding="utf-8"
            )
            methods = ("__init__", "blocks_needed", "can_allocate", "allocate", "block_table", "free")
            text = "".join(f"    def {method}(self, *_):\n        {body}\n" for method in methods)
            (folder / "kv_allocator.py").write_text(f"class BlockAllocator:\n{text}", encoding="utf-8")
            start = time.monotonic()
            grade(folder, options=GradingOptions(limits=Limits()))
            costs.append(time.monotonic() - start)
    if max(costs) > 60:
        report.failures.append(f"a submission that hangs in every call took {max(costs):.0f} s")
    report.section(
        "Time",
        f"All hidden tests on the solution, one after the other: {'; '.join(costs_of_isolation)}.",
        f"A submission that hangs in every call: {costs[0]:.0f} s if it computes, {costs[1]:.0f} s if it sleeps.",
    )


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader nightly`; returns the exit status."""
    argparse.ArgumentParser(
        prog="python -m grader nightly",
        description="Try all that the grader promises, and write grader/proving/REPORT.md.",
    ).parse_args(arguments)
    start = time.monotonic()
    inputs = digest_for(Use.REPORT)
    report = NightlyReport()
    sections = (report_right, report_attacks, report_wrong, report_mutants)
    for section in (*sections, report_steadiness, report_scheduling, report_time):
        section(report)
    version = f"Python {platform.python_version()}, Linux {platform.release()}, {os.cpu_count()} cores"
    minutes = (time.monotonic() - start) / 60
    head = [
        "# What the grader was tried against",
        "",
        f"Made by `make nightly` on {datetime.date.today()} ({version}; {minutes:.0f} minutes). Don't edit.",
        "",
        f"Inputs: {inputs}",
    ]
    failures = ["", "## Failures", "", *[f"- {text}" for text in report.failures]] if report.failures else []
    REPORT.write_text("\n".join([*head, *failures, *report.lines, ""]), encoding="utf-8")
    print(*report.failures, f"{REPORT}: {len(report.failures)} failures, {minutes:.0f} minutes", sep="\n")
    return 1 if report.failures else 0
