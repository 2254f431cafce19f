"""The staff's command line: one verb, one module, which is imported when its verb is called."""

import argparse
import importlib
import os
import sys
from pathlib import Path

from grader.grading.grading_process import INTERRUPTED, interrupted_by_signals
from grader.options import USAGE, UsageError

# Verb -> its module, whose `main(arguments)` returns the exit status, and what it does.
VERBS = {
    "grade": ("grader.grading.command", "grade one submission folder with the hidden tests"),
    "gpu": ("grader.gpu.command", "grade Part 6 on CUDA: right, and how fast"),
    "export": ("grader.export.command", "write results for other systems"),
    "release": ("grader.release.command", "make the student repository"),
    "propose-update": ("grader.classroom.propose", "open a pull request with it in each repository"),
    "collect": ("grader.classroom.collect", "fetch the students' repositories"),
    "class": ("grader.classroom.grade_class", "grade all that was collected"),
    "comment": ("grader.classroom.comment", "post what each student is told"),
    "unpack": ("grader.classroom.unpack", "a folder for each of the archives that were collected"),
    "starter": ("grader.tools.starter", "make the student's files from the solution"),
    "micro": ("grader.tools.micro", "train the micro model"),
    "wrong": ("grader.proving.wrong.command", "print what the student of each planted fault is told"),
    "mutants": ("grader.proving.mutants", "change the solution in small ways: do the hidden tests notice?"),
    "nightly": ("grader.proving.nightly", "try all that the grader promises, and write its report"),
    "bench": ("grader.proving.benchmarks.bench", "time the schedulers, the loop and a grading"),
    "bench-model": ("grader.proving.benchmarks.bench_model", "time the model beside transformers"),
    "gpu-check": ("grader.proving.benchmarks.gpu_check", "show what only a GPU can show"),
    "estimate": ("grader.proving.benchmarks.gpu_estimate", "estimate the GPU stage's time on other GPUs"),
}


def main(arguments: list[str] | None = None) -> int:
    """Carry out one verb; return its exit status. A `UsageError` is a sentence about wrong usage."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="python -m grader", description="Grade submissions of the batching lab.")
    commands = parser.add_subparsers(dest="verb", required=True, metavar="COMMAND")
    for verb, (_, what) in VERBS.items():
        commands.add_parser(verb, help=what, add_help=False)
    open_standard_streams()
    verb = parser.parse_args(arguments[:1]).verb
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        with interrupted_by_signals():
            return int(importlib.import_module(VERBS[verb][0]).main(arguments[1:]))
    except UsageError as error:
        print(f"grader: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print("grader: interrupted", file=sys.stderr)
        return INTERRUPTED


def open_standard_streams() -> None:
    """Where one is closed (`2>&-`), the next file that is opened would take its number, and pytest would fail."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - until the end
