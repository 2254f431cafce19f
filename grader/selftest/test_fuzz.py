"""`python -m batching_lab fuzz`: it finds, it shrinks, and what it prints replays."""

import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from batching_lab.commands import fuzz as command
from batching_lab.commands.cli import main
from batching_lab.harness import Harness, Workload
from batching_lab.submission.loading import Submission
from batching_lab.testing.fuzzing import PARTS, Part, search
from grader.hidden.random_runs import check_random_runs
from grader.paths import ROOT, SOLUTION
from grader.proving.helpers import make_submission
from grader.proving.wrong import load_fault, write_submission

DECISION = "return Schedule(self.scheduled, tuple(preempted))"
REPLAY = "Run it again: python -m batching_lab "


def planted(name: str, tmp_path: Path) -> Path:
    return write_submission(load_fault(name), tmp_path / name)


def workloads(part: Part | None, num_examples: int, seed: int = 0) -> list[Workload]:
    made: list[Workload] = []

    def run(workload: Workload) -> str:
        made.append(workload)
        return ""

    search(run, part, num_examples, seed)
    return made


@pytest.mark.parametrize("part", [*PARTS, None])
def test_the_solution_passes(part: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--part", part] if part else []
    assert main(["fuzz", *options, "--examples", "60", "--submission", str(SOLUTION)]) == 0
    assert capsys.readouterr().out == "60 workloads, and no rule was broken.\n"


@pytest.mark.parametrize(
    ("name", "part", "sentence", "replay"),
    [
        (
            "part1_slots_ignore_running",
            "1",
            "Tick 2: 2 sequences are running, but there are 1 slots. ",
            "--policy continuous --jobs A=2,B=1 --slots 1",
        ),
        (
            "part1_static_waits_for_full_batch",
            "1",
            "Tick 1: nothing was scheduled, but A waiting and nobody running. ",
            "--policy static --jobs A=1 --slots 2",
        ),
        (
            "part3_admits_what_fits_now",
            "3",
            "Tick 2: B was preempted. ",
            "--policy continuous --jobs A=2,B=2 --slots 2 --blocks 2 --block-size 1",
        ),
        (
            "part4_chunk_size_instead_of_budget",
            "4",
            "Tick 1: 2 tokens were scheduled, but the budget is 1. ",
            "--policy continuous --jobs A=2+1 --slots 1 --token-budget 1 --chunked-prefill --chunk-size 2",
        ),
        (
            "part5_preempt_abort_frees_victim",
            "5",
            "Your code raised KeyError: 'B' (kv_allocator.py, ",
            "--policy continuous --jobs A=2,B=2~2 --slots 2 --kv-policy max_utilization --blocks 2 --block-size 1",
        ),
    ],
)
def test_a_fault_is_shrunk_and_replays(
    name: str, part: str, sentence: str, replay: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = planted(name, tmp_path)
    assert main(["fuzz", "--part", part, "--submission", str(folder)]) == 1
    printed = capsys.readouterr()
    first, fault, again = printed.out.splitlines()
    assert first.startswith("Workload ") and first.endswith(" failed. The smallest found that fails:")
    assert fault.startswith(sentence) and not printed.err
    assert again == f"{REPLAY}run {replay} --submission {folder}"
    assert main(shlex.split(again.removeprefix(REPLAY))) == 1
    assert capsys.readouterr().err == f"{fault}\n"


def test_a_file_that_is_not_done_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--submission", str(ROOT / "starter")]) == 1
    assert capsys.readouterr().out.splitlines()[1].endswith("in scheduler.py, line 31, is not done yet.")


def test_the_seed_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first, again, other = ([w.command() for w in workloads(None, 30, seed)] for seed in (1, 1, 2))
    assert first == again != other
    assert not list(tmp_path.iterdir()), "Hypothesis left something behind"


def test_each_part_varies_what_it_is_about() -> None:
    for workload in workloads("1", 50):
        assert workload.num_blocks is None and workload.config.max_num_batched_tokens is None
    for workload in [*workloads("1", 50), *workloads("3", 50)]:
        assert not workload.config.enable_chunked_prefill and workload.config.kv_policy == "guaranteed_no_evict"
    assert {workload.policy for workload in workloads("3", 50)} == {"static", "continuous"}
    assert all(workload.config.enable_chunked_prefill for workload in workloads("4", 50))
    assert all(
        workload.config.kv_policy == "max_utilization" and workload.num_blocks for workload in workloads("5", 50)
    )


def test_the_workloads_meet_what_they_are_for() -> None:
    """Refusals, aborts, early ends, preemptions, prompts in pieces; and the solution is right on all of them."""
    lab = Harness(Submission(SOLUTION))
    made = [workload for part in PARTS for workload in workloads(part, 60)]
    met: Counter[str] = Counter()
    for workload in made:
        trace = lab.serve(workload)
        met["refused"] += bool(trace.refused)
        met["aborted"] += bool(trace.aborted)
        met["preempted"] += trace.num_preemptions > 0
        met["early"] += any(job.num_output_tokens < job.request.max_tokens for job in workload.jobs)
        met["waiting"] += any(tick.num_waiting for tick in trace.ticks)
        met["chunk"] += any(
            0 < tick.num_scheduled_tokens.get(job.request.request_id, 0) < len(job.request.prompt_token_ids)
            for tick in trace.ticks[:1]
            for job in workload.jobs
        )
    assert len(met) == 6 and min(met.values()) >= 10, met
    check_random_runs(lab, made)


def test_an_endless_loop_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "SECONDS_A_RUN", 0.25)
    endless = [("scheduler.py", DECISION, f"while len(self.running) > 1: pass\n        {DECISION}")]
    folder = make_submission(tmp_path / "endless", endless)
    assert main(["fuzz", "--part", "1", "--submission", str(folder)]) == 1
    _, fault, again = capsys.readouterr().out.splitlines()
    assert fault.startswith("The run had not ended after 0.25 s: EndlessLoop: it does not end (scheduler.py, line ")
    assert fault.endswith(": while len(self.running) > 1: pass). Stop its replay with Ctrl-C.")
    assert again == f"{REPLAY}run --policy continuous --jobs A=1,B=1 --slots 2 --submission {folder}"


def test_what_cannot_be_stopped_ends_the_search(tmp_path: Path) -> None:
    """Waiting outside of Python, no exception arrives."""
    sleeping = [("scheduler.py", DECISION, f"__import__('time').sleep(500)\n        {DECISION}")]
    folder = make_submission(tmp_path / "sleeping", sleeping)
    code = (
        "import sys\n"
        "from batching_lab.commands.cli import main\n"
        "from batching_lab.commands import fuzz\n"
        "from batching_lab.testing import watchdog\n"
        "fuzz.SECONDS_A_RUN = watchdog.GIVE_UP_SECONDS = 0.25\n"
        "main(['fuzz', '--part', '1', '--submission', sys.argv[1]])\n"
    )
    environment = {"PYTHONPATH": str(ROOT / "starter")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert done.stdout == (
        "Your code does not end and can't be stopped: an endless loop that catches every exception?\n"
        f"{REPLAY}run --policy continuous --jobs A=1 --slots 1 --submission {folder}\n"
    )


def test_a_fault_that_comes_and_goes_is_told_all_the_same(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old = "class SchedulerBase:\n"
    fickle = [
        ("scheduler.py", old, f"RUNS = []\n\n\n{old}"),
        ("scheduler.py", DECISION, f"RUNS.append(1)\n        assert len(RUNS) % 7\n        {DECISION}"),
    ]
    assert main(["fuzz", "--part", "1", "--submission", str(make_submission(tmp_path / "s", fickle))]) == 1
    assert "Your code raised AssertionError (scheduler.py, line " in capsys.readouterr().out


def test_shrinking_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where each run is slow, the smallest until then is what counts."""
    monkeypatch.setattr("batching_lab.testing.fuzzing.SHRINK_SECONDS", 0.0)
    runs: list[str] = []

    def run(workload: Workload) -> str:
        runs.append(workload.command())
        return "too many" if len(workload.jobs) > 2 else ""

    found = search(run, "1", 100, 0)
    assert found.fault == "too many" and found.smallest is not None
    assert found.smallest.command() == runs[-1] and found.num_runs == len(runs)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--examples", "0"], "--examples must be at least 1, not 0"),
        (["--submission", "nowhere"], "--submission: there is no folder nowhere"),
    ],
)
def test_wrong_usage_is_one_sentence(options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", *options]) == 2
    assert capsys.readouterr().err == f"batching_lab: {sentence}\n"
