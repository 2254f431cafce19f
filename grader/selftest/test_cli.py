"""`python -m batching_lab`: what it prints, and one sentence for each wrong word."""

import argparse
import json
import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from batching_lab.commands.cli import main
from batching_lab.commands.common import add_limit_options
from batching_lab.config import SchedulerConfig
from batching_lab.workloads.command_line import OPTIONS
from grader.paths import ROOT, SOLUTION
from grader.proving.helpers import make_submission

SEED = ["--jobs", "A=4,B=1,C=1", "--slots", "2"]

COMPARED = """\
static batching
tick    1 2 3 4 5
slot 1  A A A A C
slot 2  B - - - .
slot 2 is empty in ticks 2 to 4, while C waits

continuous batching
tick    1 2 3 4
slot 1  A A A A
slot 2  B C . .

The first tick that differs is tick 2.
   tick  static  continuous
   1     A B     A B
>  2     A       A C
   3     A       A
   4     A       A
   5     C       (over)

finished in tick  static  continuous
A                 4       4
B                 1       1
C                 5       2
total ticks       5       4
slots in use      60%     75%
"""


def test_compare_shows_the_seed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *SEED, "--submission", str(SOLUTION), "--ascii"]) == 0
    assert capsys.readouterr().out == COMPARED


def test_run_shows_ticks_requests_and_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = ["--jobs", "A=6+6,B=6+6", "--blocks", "4", "--block-size", "4", "--kv-policy", "max_utilization"]
    path = tmp_path / "trace.json"
    assert main(["run", *options, "--submission", str(SOLUTION), "--json", str(path), "--ascii"]) == 0
    output = capsys.readouterr().out
    assert "4     A        B                      1        1        3/4" in output
    assert "B        0        1     9       9        4            1          finished" in output
    assert "slot 2  B:6 B   B   -   -   -   .   .   ." in output
    assert "9 ticks, slots in use 67%, KV blocks in use 83%, preemptions 1, tokens recomputed 8." in output
    assert json.loads(path.read_text(encoding="utf-8"))["num_preemptions"] == 1


def test_jobs_from_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "jobs.json"
    jobs = [{"id": name, "prompt_len": 1, "output_len": n} for name, n in (("A", 4), ("B", 1), ("C", 1))]
    path.write_text(json.dumps({"jobs": jobs}), encoding="utf-8")
    assert main(["compare", "--jobs", str(path), "--slots", "2", "--submission", str(SOLUTION), "--ascii"]) == 0
    assert capsys.readouterr().out == COMPARED


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--jobs", "A=4,B"], "can't read the job 'B': it must look like A=4, A=6+4 or A=6+4/9@2~5"),
        (["--jobs", ""], "can't read the job '': it must look like A=4"),
        (["--jobs", "A=4,A=1"], "two jobs have the id A; every job needs its own"),
        (["--jobs", "A=0"], "max_tokens must be an integer of at least 1, not 0"),
        (["--jobs", "A=5/4"], "job A: output_len 5 is more than max_tokens 4"),
        (["--jobs", "A=5@4~3"], "job A: abort_at 3 is before its arrival 4"),
        (["--jobs", "nowhere.json"], "can't read the jobs file nowhere.json: No such file or directory"),
        (["--jobs", "A=4", "--slots", "0"], "--slots must be at least 1, not 0"),
        (["--jobs", "A=4", "--token-budget", "-1"], "--token-budget must be at least 1, not -1"),
        (["--jobs", "A=4", "--chunk-size", "0"], "--chunk-size must be at least 1, not 0"),
        (["--jobs", "A=4", "--blocks", "0"], "--blocks must be at least 1, not 0"),
        (["--jobs", "A=4", "--block-size", "0"], "--block-size must be at least 1, not 0"),
        (["--jobs", "A=4", "--kv-policy", "best"], "kv_policy must be one of guaranteed_no_evict, max_utilization"),
        (["--jobs", "A=4", "--submission", "nowhere"], "--submission: there is no folder nowhere"),
        (["--jobs", "A=4", "--json", "nowhere/x.json"], "--json: can't write nowhere"),
    ],
)
def test_wrong_usage_is_one_sentence(capsys: pytest.CaptureFixture[str], options: list[str], sentence: str) -> None:
    folder = [] if "--submission" in options else ["--submission", str(SOLUTION)]
    assert main(["run", *options, *folder]) == 2
    error = capsys.readouterr().err
    assert error.startswith("batching_lab: ") and sentence in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "line 1 column 2: not JSON"),
        ("[]", 'wanted an object with a list "jobs" that is not empty'),
        ('{"jobs": [{"id": "A", "prompt_len": 1}]}', 'job 1: "output_len" is missing'),
        ('{"jobs": [{"id": "A", "prompt_len": 1, "output_len": 1.5}]}', 'job 1: "output_len" must be an integer'),
        ('{"jobs": [{"id": "A", "prompt_len": 0, "output_len": 1}]}', "job 1: request A: the prompt is empty"),
    ],
)
def test_a_wrong_jobs_file_is_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, sentence: str
) -> None:
    path = tmp_path / "jobs.json"
    path.write_text(text, encoding="utf-8")
    assert main(["run", "--jobs", str(path), "--submission", str(SOLUTION)]) == 2
    assert sentence in capsys.readouterr().err


BUGGY = """
import sys
from unittest.mock import patch
from batching_lab.commands.cli import main
with patch(sys.argv[1], side_effect=ValueError("a bug")):
    sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("function", "command"),
    [
        ("batching_lab.reports.timeline.slot_view", "run"),
        ("batching_lab.reports.run_tables.tick_rows", "run"),
        ("batching_lab.commands.run.trace_json", "run"),
        ("batching_lab.ledger.Ledger.advance", "run"),
        ("batching_lab.checks.Checks.boundary", "timeline"),
        ("batching_lab.difference.side_by_side", "compare"),
        ("batching_lab.commands.compare.format_table", "compare"),
    ],
)
def test_a_bug_of_the_lab_looks_like_one(function: str, command: str, tmp_path: Path) -> None:
    """Not like wrong usage, and not like a fault of the student's."""
    words = [command, *SEED, "--submission", str(SOLUTION), *(["--json", "trace.json"] if command == "run" else [])]
    ran = subprocess.run([sys.executable, "-c", BUGGY, function, *words], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 1 and "Your code raised" not in ran.stderr
    assert ran.stderr.startswith("Traceback") and ran.stderr.endswith("ValueError: a bug\n"), ran.stderr


def test_a_value_error_of_the_submission_is_its_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old = "return Schedule(self.scheduled, tuple(preempted))"
    raising = [("scheduler.py", old, "raise ValueError('C is odd')")]
    assert main(["run", *SEED, "--submission", str(make_submission(tmp_path / "raises", raising))]) == 1
    assert "Your code raised ValueError: C is odd (scheduler.py, line " in capsys.readouterr().err


MANY_DIGITS = "1" * 5000


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["run", "--jobs", f"A={MANY_DIGITS}"], "Exceeds the limit (4300 digits)"),
        (["timeline", *SEED, "--ticks", f"1..{MANY_DIGITS}"], "Exceeds the limit (4300 digits)"),
        (["sweep", *SEED, "--vary", f"slots={MANY_DIGITS}"], "Exceeds the limit (4300 digits)"),
        (["sweep", *SEED, "--vary", f"slots=1..{MANY_DIGITS}"], "Exceeds the limit (4300 digits)"),
        (["sweep", "--jobs", "\udcff=4", "--vary", "\udcff=4", "--csv", "x.csv"], "--csv: can't write x.csv: 'utf-8' "),
        (["run", "--jobs", "A=4", "--seed", "1", "--limit", "2"], "--seed goes with --workload only"),
        (["run", "--workload", "none"], "there is no workload 'none'"),
        (["run", *SEED, "--cost-model", "none.json"], "--cost-model: can't read none.json"),
    ],
    ids=["jobs", "ticks", "vary", "vary a range", "csv", "two options", "workload", "cost model"],
)
def test_what_else_was_given_wrongly_is_one_sentence(
    words: list[str],
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*words, "--submission", str(SOLUTION)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("batching_lab: ") and sentence in error and error.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "sentences"),
    [
        ([], []),
        (["--chunk-size", "2"], ["--chunk-size has no effect without --chunked-prefill"]),
        (["--chunk-size", "2", "--chunked-prefill"], []),
        (["--kv-policy", "max_utilization"], ["--kv-policy has no effect without --blocks"]),
        (["--block-size", "4"], ["--block-size has no effect without --blocks"]),
        (["--block-size", "4", "--kv-policy", "max_utilization", "--blocks", "9"], []),
        (["--policy", "static", "--token-budget", "9"], ["--token-budget has no effect under static batching"]),
        (
            ["--policy", "static", "--chunked-prefill", "--chunk-size", "2", "--block-size", "4"],
            [
                "--chunked-prefill has no effect under static batching",
                "--chunk-size has no effect under static batching",
                "--block-size has no effect without --blocks",
            ],
        ),
        (["--policy", "static", "--block-size", "4", "--blocks", "9"], []),
        (["--token-budget", "9"], []),
    ],
)
@pytest.mark.parametrize("command", ["run", "timeline"])
def test_a_limit_without_effect_is_said(
    command: str, options: list[str], sentences: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--submission", str(SOLUTION), "--jobs", "A=2,B=1", *options]) == 0
    assert capsys.readouterr().err.splitlines() == [f"batching_lab: {sentence}" for sentence in sentences]


def test_compare_says_what_has_no_effect_under_both(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compare", "--submission", str(SOLUTION), "--jobs", "A=2,B=1"]
    assert main([*command, "--token-budget", "9", "--chunk-size", "2"]) == 0
    assert capsys.readouterr().err == "batching_lab: --chunk-size has no effect without --chunked-prefill\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--token_budget", "9"], "unrecognized arguments: --token_budget 9 (did you mean --token-budget?)"),
        (["--chunkd-prefill"], "unrecognized arguments: --chunkd-prefill (did you mean --chunked-prefill?)"),
        (["--block", "9", "--xyz"], "ambiguous option: --block could match"),
        (["--quxly"], "unrecognized arguments: --quxly\n"),
        (["B=1"], "unrecognized arguments: B=1\n"),
    ],
)
def test_an_unknown_option_names_its_neighbour(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["run", "--jobs", "A=2", *words])
    assert ended.value.code == 2 and sentence in capsys.readouterr().err


def test_every_limit_has_one_option() -> None:
    parser = argparse.ArgumentParser()
    add_limit_options(parser, num_slots=2, blocks="none")
    assert [field.name for field in fields(SchedulerConfig)] == list(OPTIONS.values())
    assert {f"--{option}" for option in OPTIONS} <= set(parser.format_usage().replace("[", "").replace("]", "").split())


def test_faults_of_the_submission_are_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["run", *SEED, "--submission", str(ROOT / "starter")]) == 1
    assert "SchedulerBase.__init__ in scheduler.py, line 31, is not done yet." in capsys.readouterr().err
    old = "return Schedule(self.scheduled, tuple(preempted))"
    twice = [("scheduler.py", old, f"self.scheduled = dict.fromkeys(self.running, 2)\n        {old}")]
    assert main(["run", *SEED, "--submission", str(make_submission(tmp_path / "rule", twice))]) == 1
    assert "Tick 1: A was scheduled for 2 tokens, but has 1 to compute. Rule: " in capsys.readouterr().err
    raising = [("scheduler.py", old, "raise KeyError('C')")]
    assert main(["run", *SEED, "--submission", str(make_submission(tmp_path / "raises", raising))]) == 1
    assert "Your code raised KeyError: 'C' (scheduler.py, line " in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_output_fits_every_console(encoding: str) -> None:
    """Plain ASCII where the console can't show more."""
    command = [sys.executable, "-m", "batching_lab", "compare", *SEED, "--submission", str(SOLUTION)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "starter"), "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    output = done.stdout.decode(encoding).replace("\r\n", "\n")
    assert output.replace("░", "-").replace("·", ".") == COMPARED
    assert ("░" in output) == (encoding == "utf-8")
