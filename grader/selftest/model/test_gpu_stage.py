"""The GPU stage, rehearsed on the CPU: everything but CUDA itself, and what wrong and slow submissions get."""

import copy
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader.grading.options import GradingOptions

pytest.importorskip("torch", reason="the model needs PyTorch")

import torch

from batching_lab import RuleViolation
from batching_lab.harness import Workload
from grader.cli import main
from grader.gpu import clocks, contestant, stage
from grader.gpu import engine as engine_module
from grader.gpu.cases import REHEARSAL, Size
from grader.gpu.clocks import ClockedHarness, ClockedRun
from grader.gpu.contestant import Contestant
from grader.gpu.engine import Engine, gpu_state, load_engine
from grader.gpu.flags import Flag, flag_of
from grader.gpu.stage import NO_SPEED_POINTS, StageOptions, grade_on_gpu
from grader.gpu.stage_report import StageReport
from grader.gpu.summary import details
from grader.grading.grade import grade
from grader.grading.result import Result, TestResult
from grader.paths import RIGHT, SOLUTION
from grader.proving.helpers import make_submission
from grader.worker.client import Limits

SMALL = Size(
    num_slots=4, num_jobs=24, short=(1, 2), long=(12, 16), prompt=(2, 5), long_prompt=(8, 14), chunk=16, num_blocks=4096
)
BEFORE = "        preempted: list[str] = []\n        budget"
STEP = 0.01  # seconds of the model for a tick, where a test makes them up


@pytest.fixture(scope="module")
def engine() -> Engine:
    return load_engine("cpu", "micro", SMALL)


def on_a_pretended_gpu(engine: Engine, lab: ClockedHarness, workload: Workload) -> ClockedRun:
    """As if it took `STEP` for each tick. Only the worker's own time is real, which no busy machine makes longer."""
    run = clocks.clocked_run(engine, lab, workload)
    return replace(run, seconds=STEP * run.trace.num_ticks + run.scheduler_seconds + run.hidden_seconds)


@pytest.fixture
def pretended(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """Whose runs are `on_a_pretended_gpu`."""
    monkeypatch.setattr(contestant, "clocked_run", on_a_pretended_gpu)
    return replace(engine, is_rehearsal=False)


@pytest.fixture(scope="module")
def solution_graded(engine: Engine) -> tuple[Result, StageReport]:
    """As a TA grades it, not quick; with one pair all the same. Whoever changes it takes a copy."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contestant, "clocked_run", on_a_pretended_gpu)
        patch.setattr(stage, "NUM_PAIRS", 1)
        return grade_on_gpu(SOLUTION, replace(engine, is_rehearsal=False), StageOptions())


def graded(
    folder: Path, engine: Engine, is_quick: bool = True, **options: Any
) -> tuple[Result, StageReport, dict[str, TestResult]]:
    result, report = grade_on_gpu(folder, engine, StageOptions(is_quick, GradingOptions(**options)))
    assert result.status == "graded", result.error
    return result, report, {test.id: test for test in result.parts[0].tests}


def scores(tests: dict[str, TestResult]) -> list[float]:
    return [test.score for test in tests.values()]


@pytest.mark.parametrize("size", [SMALL, pytest.param(REHEARSAL, marks=pytest.mark.slow)], ids=["small", "real"])
def test_rehearsal_of_the_solution(
    size: Size, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The whole command, as a TA rehearses it."""
    monkeypatch.setattr(engine_module, "REHEARSAL", size)
    out = tmp_path / "gpu.json"
    assert main(["gpu", str(SOLUTION), "--device", "cpu", "--quick", "--json", str(out)]) == 0
    told = capsys.readouterr().out
    for text in (
        "device cpu, model micro, dtype float32",
        "static / student  largest logit gap",
        "student / reference  static / reference  spread  pairs",
        "scheduler + channel",
        "between tokens p95",
        "The student's own static batching takes",
        "Flag quick: two pairs only",
        "gpu_right: passed.\ngpu_long_short: rehearsed. ",
        "A rehearsal on the CPU: everything but the points.",
        "Isolation: full.",
    ):
        assert text in told
    assert "0 / 0" not in told
    data = json.loads(out.read_text(encoding="utf-8"))
    assert (data["schema"], data["status"], data["score"], data["max_score"]) == (
        "batching-lab/result/v1", "graded", 0.0, 0.0,
    )  # fmt: skip
    flags = {flag_of(noted) for noted in data["gpu"]["flags"]} - {Flag.NOISY, Flag.NO_ROOM}  # as busy as the machine is
    assert data["gpu"]["rehearsal"] and data["gpu"]["quick"] and flags == {Flag.QUICK}
    long_short, long_prompts, tight_pool = data["gpu"]["workloads"]
    for workload in (long_short, long_prompts, tight_pool):
        assert workload["ticks"]["student"] == workload["ticks"]["reference"] < workload["ticks"]["static"]
        assert workload["largest_logit_gap"] < 0.001
        assert len(workload["speed"]["ratios"]) == 2
        for runs in workload["runs"].values():
            for run in runs:
                parts = ("executor", "scheduler", "channel", "loop", "hidden")
                assert sum(run[f"{part}_seconds"] for part in parts) == pytest.approx(run["seconds"])
                assert min(run[f"{part}_seconds"] for part in parts[:4]) > 0
    assert tight_pool["runs"]["student"][0]["preemptions"] > 0
    assert data["gpu"]["own_static"]["ticks"] == long_short["ticks"]["static"]


def test_the_solution_gets_all_points(solution_graded: tuple[Result, StageReport]) -> None:
    result, report = solution_graded
    assert [test.status for test in result.parts[0].tests] == ["passed"] * 4, report
    assert (result.score, result.max_score) == (6.0, 6.0)
    assert result.not_run == ["0", "1", "2", "3", "4", "5", "6-cpu"]
    assert result.key == grade(SOLUTION, ["0"]).key, "by which the results are merged"


@pytest.mark.slow
def test_a_word_for_word_scheduler_gets_all_points(pretended: Engine) -> None:
    result, _, _ = graded(RIGHT / "word_for_word", pretended)
    assert result.score == 6.0


def test_a_scheduler_that_takes_5_ms_more_a_tick(
    pretended: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(stage, "NUM_QUICK_PAIRS", 1)
    folder = make_submission(
        tmp_path / "slow",
        [
            ("scheduler.py", "        preempted: list[str] = []\n        budget", "        end = time.process_time() + 0.005\n        while time.process_time() < end: pass\n        preempted: list[str] = []\n        budget"),
            ("scheduler.py", "import sys\n", "import sys\nimport time\n"),
        ],
    )  # fmt: skip
    result, report, tests = graded(folder, pretended)
    assert tests["gpu_right"].status == "passed" and tests["gpu_right"].score == 2.0
    for workload in report.workloads:
        assert all(run.scheduler_seconds > 0.005 * run.trace.num_ticks for run in workload.runs["student"])
        test = tests[f"gpu_{workload.name.replace('-', '_')}"]
        assert workload.measured is not None
        ratio, static = workload.measured.series.ratio, workload.measured.series.static_ratio
        assert test.status == "failed" and ratio < 0.8
        assert test.score == round(test.max_score * max(0.0, (ratio - static) / (0.9 - static)), 2)
        assert re.match(
            r"0\.\d\d of the reference's speed \(full points take 0.9; static batching has 0\.\d\d\)", test.message
        )
        assert "Rule: " in test.message and "Hint: " in test.message
    assert result.score == 2.0 + sum(test.score for test in tests.values() if test.id != "gpu_right") < 6.0


@pytest.mark.slow
def test_a_scheduler_that_walks_over_the_whole_pool(pretended: Engine, tmp_path: Path) -> None:
    """40,960 blocks beside steps of 2 ms, as in the stage, are 50 times the pool here beside steps of 10 ms."""
    folder = make_submission(
        tmp_path / "walks",
        [
            (
                "scheduler.py",
                "        preempted: list[str] = []\n        budget",
                "        if self.allocator is not None:\n"
                "            self.free = [b for b in range(50 * self.allocator.num_blocks) if b >= 0]\n"
                "        preempted: list[str] = []\n        budget",
            )
        ],
    )
    _, _, tests = graded(folder, pretended)
    assert tests["gpu_right"].status == "passed"
    assert tests["gpu_long_short"].score < 2.0 and tests["gpu_long_prompts"].score < 1.0


WRONG = {
    "one at a time": (
        [("scheduler.py", "self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0", "self.waiting and not self.running")],
        "failed",
        r"The workload long-short takes more ticks than by the rules\. Rule: On a GPU, too,",
    ),
    "double allocation": (
        [("kv_allocator.py", "[self.free_blocks.pop() for", "[self.free_blocks[-1] if num_tokens == 9 else self.free_blocks.pop() for")],
        "failed",
        r"Tick \d+: r\d+ reads its position \d+ in block \d+, which holds r\d+'s position \d+ from tick \d+",
    ),
    "hangs": (
        [("scheduler.py", "        preempted: list[str] = []\n        budget", "        while len(self.running) > 2: pass\n        preempted: list[str] = []\n        budget")],
        "timeout",
        r"Tick \d+: schedule\(\) had not returned after 0.5 seconds",
    ),
    "lies about its table": (
        [("kv_allocator.py", "return list(self.block_tables.get(request_id, ()))", "return list(self.block_tables.get(request_id, ()))[::-1]")],
        "failed",
        r"Tick \d+: r\d+ ",
    ),
    "decides otherwise when there is a model": (
        [
            ("scheduler.py", "        finished = []\n", "        finished = []\n        self.is_watched = getattr(self, 'is_watched', False) or max(sampled.values(), default=0) > 30\n"),
            ("scheduler.py", "and budget > 0:", "and budget > 0 and not (getattr(self, 'is_watched', False) and self.running):"),
        ],
        "failed",
        r"With the model the workload long-short takes more ticks than by the rules\.",
    ),
    "refuses who would cost time": (
        [("scheduler.py", "        self.refuse_too_long(request)\n", "        if request.max_tokens == 1: raise RequestTooLong\n        self.refuse_too_long(request)\n")],
        "failed",
        r"The workload long-short: r\d+ was refused\.",
    ),
    "loses a block when there is no model": (
        [("scheduler.py", "        finished = []\n", "        if self.allocator and sampled and not any(sampled.values()): self.allocator.free_blocks.pop()\n        finished = []\n")],
        "failed",
        r"Tick \d+: blocks are held by nobody\.",
    ),
    "tells itself something in a block's number": (
        [("kv_allocator.py", "return list(self.block_tables.get(request_id, ()))", "return [block + 7068060194199 for block in self.block_tables.get(request_id, ())]")],
        "failed",
        r"Tick 1: r\d+ reads its position 0 in a block that does not exist\.(?!.*7068)",
    ),
    "is not done": ([], "failed", r"BlockAllocator\(\) is not done yet \(kv_allocator.py, line \d+\)"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_wrong_submissions_get(name: str, pretended: Engine, tmp_path: Path) -> None:
    changes, status, message = WRONG[name]
    base = SOLUTION.parent / "starter" if name == "is not done" else SOLUTION
    folder = make_submission(tmp_path / "wrong", changes, base=base)
    result, report, tests = graded(folder, pretended, limits=Limits(call_seconds=0.5))
    assert tests["gpu_right"].status == status
    assert re.search(message, tests["gpu_right"].message), tests["gpu_right"].message
    assert scores(tests) == [0.0] * 4 and result.score == 0.0 and result.max_score == 6.0
    speed = [test for test in tests.values() if test.id != "gpu_right"]
    assert {(test.status, test.message) for test in speed} == {("not_run", NO_SPEED_POINTS)}
    assert all(workload.measured is None for workload in report.workloads)


def test_a_fault_while_it_is_timed_costs_everything(pretended: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission that is right when it is judged and wrong, by chance say, in a run that is timed."""
    calls = 0

    def find_kv_faults(*_: object) -> list[Any]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise RuleViolation("kv_content", 7, "r3 reads its position 4 in block 9, which was never written", "r3")
        return []

    monkeypatch.setattr(stage, "find_kv_faults", find_kv_faults)
    _, _, tests = graded(SOLUTION, pretended)
    assert tests["gpu_right"].status == "failed" and tests["gpu_right"].message.startswith("Tick 7: ")
    assert scores(tests) == [0.0] * 4
    assert {test.message for test in tests.values() if test.id != "gpu_right"} == {NO_SPEED_POINTS}


def test_a_scheduler_that_uses_its_time_up(pretended: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it was timed, that is: it was right, and keeps those points."""

    def with_new_budget(self: Contestant) -> Contestant:
        student = real(self)
        assert student.budget.seconds_left == 60.0 > self.budget.seconds_left
        student.budget.seconds_left = 0.0
        return student

    real = Contestant.with_new_budget
    monkeypatch.setattr(Contestant, "with_new_budget", with_new_budget)
    result, _, tests = graded(SOLUTION, pretended)
    assert [test.status for test in tests.values()] == ["passed", "timeout", "timeout", "timeout"]
    assert result.score == 2.0
    assert "The 60 seconds that this part's tests have in all are used up." in tests["gpu_tight_pool"].message


@pytest.mark.slow
def test_a_noisy_machine_is_flagged(pretended: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The student's runs take 1.0, 1.5, 1.0, 1.2 of their time, and so on: no series is steady, the better one counts."""
    slowness = iter((1.0, 1.5, 1.0, 1.2) * 100)

    def timed(self: Contestant, engine: Engine, workload: Workload) -> ClockedRun:
        run = real(self, engine, workload)
        is_students = self.budget.seconds == 60
        return replace(run, seconds=STEP * run.trace.num_ticks * (next(slowness) if is_students else 1.0))

    real = Contestant.timed
    monkeypatch.setattr(Contestant, "timed", timed)
    monkeypatch.setattr(stage.Stage, "time_own_static", lambda *_: None)
    result, report, _ = graded(SOLUTION, pretended)
    assert report.flags == ["quick", "noisy: long-short", "noisy: long-prompts", "noisy: tight-pool"]
    for workload in report.workloads:
        assert workload.measured is not None
        assert workload.measured.num_series == 2
        assert workload.measured.series.ratios == pytest.approx([1.0, 1 / 1.2])
    assert result.score == 6.0


@pytest.mark.slow
def test_an_impossible_time_is_flagged(pretended: Engine) -> None:
    slow_memory = replace(pretended, bandwidth=1e6)
    _, report, _ = graded(SOLUTION, slow_memory)
    assert report.flags == [
        "quick",
        *(f"impossible time: {name}" for name in ("long-short", "long-prompts", "tight-pool")),
    ]
    runs = [run for workload in report.workloads for run in workload.runs["student"]]
    assert not any(replace(run, floor_seconds=floor).is_impossible for run in runs for floor in (None, run.seconds))
    assert all(replace(run, gpu_seconds=0.1, floor_seconds=0.2).is_impossible for run in runs), (
        "the events' time counts, too"
    )


def test_the_floor_counts_weights_and_keys_and_values(engine: Engine) -> None:
    """micro: 4 layers, 2 KV heads of 32, float32; 820,608 weights, all read in each step since the embedding is the head."""
    num_weights = sum(parameter.numel() for parameter in engine.llama.parameters())
    per_token = 2 * 4 * 2 * 32 * 4
    floor = replace(engine, bandwidth=1e9).floor_seconds([10, 20])
    assert floor == pytest.approx((2 * 4 * num_weights + 30 * per_token) / 1.25e9)
    assert engine.floor_seconds([10]) is None


def test_a_fault_of_the_gpus_is_no_zero(pretended: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> ClockedRun:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")

    monkeypatch.setattr(contestant, "clocked_run", broken)
    result, report = grade_on_gpu(SOLUTION, pretended, StageOptions(is_quick=True))
    assert (result.status, result.score) == ("grader_error", None)
    assert "an illegal memory access" in result.error
    assert json.dumps(details(report))


def test_a_fault_of_the_references_is_no_zero(
    pretended: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = make_submission(
        tmp_path / "broken", [("scheduler.py", "        finished = []\n", "        finished = 1 / 0\n")]
    )
    monkeypatch.setattr(contestant, "SOLUTION", broken)
    result, _ = grade_on_gpu(SOLUTION, pretended, StageOptions(is_quick=True))
    assert (result.status, result.score) == ("grader_error", None)
    assert result.error.startswith("the reference failed: SubmissionFault: update() raised ZeroDivisionError")


@pytest.mark.slow
def test_feedback_tells_as_much_as_it_should(pretended: Engine, tmp_path: Path) -> None:
    changes = WRONG["double allocation"][0]
    folder = make_submission(tmp_path / "wrong", changes)
    messages = {level: graded(folder, pretended, feedback=level)[2]["gpu_right"].message for level in ("full", "hint", "none")}  # fmt: skip
    assert messages["none"] == ""
    assert "python -m batching_lab" not in messages["hint"].partition("Hint:")[0]
    assert "Run it again: python -m batching_lab run" in messages["full"]


@pytest.mark.slow
def test_work_that_is_hidden_behind_the_model_counts(pretended: Engine, tmp_path: Path) -> None:
    """A thread that computes 10 ms after each schedule(): in this process' eyes the call returns at once."""
    folder = make_submission(
        tmp_path / "hides",
        [
            ("scheduler.py", BEFORE, f"        threading.Thread(target=hide).start()\n{BEFORE}"),
            (
                "scheduler.py",
                "import sys\n",
                "import sys\nimport threading\nimport time\n\n\n"
                "def hide():\n    time.sleep(0.001)\n    end = time.thread_time() + 0.01\n"
                "    while time.thread_time() < end: pass\n\n\n",
            ),
        ],
    )
    _, report, tests = graded(folder, pretended)
    assert tests["gpu_right"].status == "passed"
    for workload in report.workloads:
        runs = workload.runs["student"]
        assert all(run.scheduler_seconds + run.hidden_seconds > 0.008 * run.trace.num_ticks for run in runs)
        assert all(run.hidden_seconds < 0.1 * run.scheduler_seconds for run in workload.runs["reference"])
    assert all(test.score < test.max_score for test in tests.values() if test.id != "gpu_right")


def test_naps_that_are_too_short_to_be_seen_use_the_time_up(pretended: Engine, tmp_path: Path) -> None:
    folder = make_submission(
        tmp_path / "naps",
        [
            ("scheduler.py", BEFORE, f"        time.sleep(0.03)\n{BEFORE}"),
            ("scheduler.py", "import sys\n", "import sys\nimport time\n"),
        ],
    )
    _, _, tests = graded(folder, pretended, limits=Limits(part_seconds=1.0))
    assert tests["gpu_right"].status == "timeout"
    assert "The 1 seconds that this part's tests have in all are used up." in tests["gpu_right"].message


@pytest.mark.slow
def test_the_own_static_batching_costs_no_points(pretended: Engine, tmp_path: Path) -> None:
    """It hangs, after having used up all the time that there is."""
    old = "        if not self.running:\n            self.form_batch()\n"
    folder = make_submission(tmp_path / "static", [("scheduler.py", old, f"        while self.running: pass\n{old}")])
    result, report, _ = graded(folder, pretended, limits=Limits(call_seconds=9.0, part_seconds=4.0))
    assert result.score == 6.0
    assert report.own_static is None
    assert report.own_static_fault.startswith("Tick 2: The 4 seconds that this part's tests have in all are used up.")


def test_a_right_scheduler_that_is_too_slow_is_told_where_to_look(pretended: Engine, tmp_path: Path) -> None:
    folder = make_submission(
        tmp_path / "slow",
        [
            (
                "scheduler.py",
                BEFORE,
                f"        end = time.process_time() + 0.1\n        while time.process_time() < end: pass\n{BEFORE}",
            ),
            ("scheduler.py", "import sys\n", "import sys\nimport time\n"),
        ],
    )
    _, _, tests = graded(folder, pretended, limits=Limits(part_seconds=2.0))
    assert tests["gpu_right"].status == "timeout"
    assert "The 2 seconds that this part's tests have in all are used up." in tests["gpu_right"].message
    assert "What do schedule() and update() walk through in every tick" in tests["gpu_right"].message


def test_resume_skips_who_has_a_score(
    engine: Engine,
    solution_graded: tuple[Result, StageReport],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    loaded: list[object] = []

    def load(*arguments: object) -> Engine:
        loaded.append(arguments)
        return engine

    monkeypatch.setattr(stage, "grade_on_gpu", lambda *_: copy.deepcopy(solution_graded))
    monkeypatch.setattr(engine_module, "load_engine", load)
    folder, out = make_submission(tmp_path / "ann"), tmp_path / "new" / "folder" / "ann.json"
    command = ["gpu", str(folder), "--json", str(out), "--resume"]
    assert main(command) == 0 and len(loaded) == 1
    assert json.loads(out.read_text(encoding="utf-8"))["score"] == 6.0
    capsys.readouterr()
    assert main(command) == 0 and len(loaded) == 1
    assert capsys.readouterr().out == f"{out} holds a score of this submission already.\n"
    data = json.loads(out.read_text(encoding="utf-8"))
    for change in (
        {"status": "grader_error"},
        {"key": "sha256:old"},
        {"gpu": data["gpu"] | {"rehearsal": True}},
        {"gpu": data["gpu"] | {"flags": ["no room: long-short"]}},  # it must be run again
        {"gpu": data["gpu"] | {"flags": ["quick"]}},
        {"gpu": data["gpu"] | {"code": "sha256:older"}},
        {"gpu": {name: value for name, value in data["gpu"].items() if name != "code"}},
    ):
        out.write_text(json.dumps(data | change), encoding="utf-8")
        before = len(loaded)
        assert main(command) == 0 and len(loaded) == before + 1


def test_a_failed_run_again_keeps_the_score(
    engine: Engine,
    solution_graded: tuple[Result, StageReport],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A TA runs a noisy submission once more, and the GPU breaks: the score that was there is not lost."""
    folder, out = make_submission(tmp_path / "ann"), tmp_path / "ann.json"
    result, report = copy.deepcopy(solution_graded)
    assert result.score == 6.0
    result.gpu = details(report)
    kept = result.to_json()
    out.write_text(kept, encoding="utf-8")
    failed = replace(result, status="grader_error", score=None, parts=[], error="CUDA error")
    monkeypatch.setattr(engine_module, "load_engine", lambda *_: engine)
    monkeypatch.setattr(stage, "grade_on_gpu", lambda *_: (failed, report))
    assert main(["gpu", str(folder), "--json", str(out)]) == 3
    assert out.read_text(encoding="utf-8") == kept
    told = capsys.readouterr()
    assert "CUDA error" in told.out and told.err == f"grader: {out} keeps the score that it holds\n"
    (folder / "answers.toml").write_text("", encoding="utf-8")  # another submission: that score is no longer its own
    assert main(["gpu", str(folder), "--json", str(out)]) == 3
    assert json.loads(out.read_text(encoding="utf-8"))["status"] == "grader_error"


def test_a_gpu_without_memory_is_a_grader_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load(*arguments: object) -> Engine:
        raise RuntimeError("CUDA out of memory. Tried to allocate 3.8 GiB")

    monkeypatch.setattr(engine_module, "load_engine", load)
    assert main(["gpu", str(SOLUTION)]) == 3
    assert capsys.readouterr().err == (
        "grader: the model can't be loaded on cuda: CUDA out of memory. Tried to allocate 3.8 GiB\n"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["gpu", str(SOLUTION.parent)], "holds neither scheduler.py nor kv_allocator.py; did you mean"),
        (["gpu", str(SOLUTION), "--resume"], "--resume needs --json FILE"),
        (["gpu", str(SOLUTION), "--json", f"{SOLUTION}/scheduler.py/x.json"], "can't write"),
        (["gpu", "nowhere"], "there is no submission folder nowhere"),
        (["gpu", str(SOLUTION)], "the device cuda can't be used"),
        (["gpu", str(SOLUTION), "--device", "cpu", "--model", "gpt"], "there is no model 'gpt'"),
        (["gpu", str(SOLUTION), "--json", "."], ". is a folder; wanted is the name of a file"),
    ],
)
@pytest.mark.skipif(torch.cuda.is_available(), reason="with a GPU it would run")
def test_wrong_usage(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert sentence in told and told.count("\n") == 1


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one")
def test_no_gpu_no_state() -> None:
    assert gpu_state() == {}


@pytest.mark.skipif(os.name == "nt", reason="the program is a script")
def test_what_nvidia_smi_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A program of that name, since there is no GPU: asked for the GPU in use, whichever that is."""
    program = tmp_path / "nvidia-smi"
    program.write_text(
        '#!/bin/sh\necho "$@" >&2\necho "570.1, 1980 MHz, 2619 MHz, 41, 210.5 W, 3 %"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: SimpleNamespace(uuid="1-2-3"))
    state = gpu_state()
    assert (state["driver_version"], state["clocks.sm"], state["utilization.gpu"]) == ("570.1", "1980 MHz", "3 %")
    program.write_text("#!/bin/sh\nexit 9\n", encoding="utf-8")
    assert gpu_state() == {}
