"""The script for a GPU machine, rehearsed; and what the TA's guide says beside what the code does."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the model needs PyTorch")

import torch

from grader.gpu.cases import ON_CUDA, Size
from grader.gpu.engine import load_engine
from grader.gpu.flags import Flag
from grader.paths import ROOT
from grader.proving.benchmarks import gpu_check, gpu_measure
from grader.proving.benchmarks.gpu_check import KEPT, Check, has_right_points
from grader.proving.benchmarks.gpu_estimate import MACHINES, count_launches, estimate
from grader.proving.benchmarks.gpu_results import Results, code_digest

GUIDE = (ROOT / "grader" / "README.md").read_text(encoding="utf-8")
SMALL = Size(
    num_slots=4, num_jobs=24, short=(1, 2), long=(12, 16), prompt=(2, 5), long_prompt=(8, 14), chunk=16, num_blocks=4096
)


@pytest.mark.slow
def test_every_section_writes_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_measure, "REPEATS", 1)
    monkeypatch.setattr(gpu_measure, "MOST_EAGER_REPEATS", 1)
    monkeypatch.setattr(gpu_check, "NUM_ROUNDS", 2)
    results = Results(load_engine("cpu", "micro", SMALL), tmp_path)
    check = Check(results.engine, results)
    sections = {
        "parity": check.bucket_parity,
        "cpu": check.cpu_parity,
        "steps": check.step_times,
        "stage": check.stage,
        "noise": check.noise,
        "profile": check.profile,
    }
    for title, run in sections.items():
        results.section(title, run)
    assert results.failures == []
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert data["code"] == code_digest() and data["about"]["device"] == "cpu"
    assert len(data["parity"]) == len(data["steps"]) == len(results.engine.graphs.graphs)
    assert data["stage"]["solution"]["tests"]["gpu_right"][0] == "passed"
    assert data["stage"]["5 ms more a tick"]["tests"]["gpu_right"][0] == "passed"
    assert data["stage"]["double allocation"]["tests"]["gpu_right"][0] == "failed"
    assert {goal["verdict"] for goal in data["goals"].values()} == {"no goal on a processor"}
    text = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert all(f"\n## {title}\n\n" in text for title in sections)
    assert not re.search(r"\n\n\n|[^\n]\n\| .*\n\| ---", text), "tables stand apart"


def test_a_section_that_breaks_keeps_nothing_from_running(tmp_path: Path) -> None:
    results = Results(load_engine("cpu", "micro", SMALL), tmp_path)

    def breaks() -> None:
        results.table(("a", "b"), [(1, 2)])
        raise RuntimeError("CUDA error")

    results.section("first", breaks)
    results.section("second", lambda: 5)
    assert results.failures == ["first"]
    data = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert data["first"] == {"error": "RuntimeError: CUDA error"} and data["second"] == 5
    assert "| 1 | 2 |\n\nFailed: RuntimeError: CUDA error\n" in (tmp_path / "RESULTS.md").read_text(encoding="utf-8")


def test_a_wrong_graph_fails_the_parity(tmp_path: Path) -> None:
    engine = load_engine("cpu", "micro", SMALL, capture=lambda work: Broken())
    results = Results(engine, tmp_path)
    check = Check(engine, results)
    results.section("parity", check.bucket_parity)
    results.section("cpu", check.cpu_parity)
    assert results.failures == ["parity", "cpu"]


class Broken:
    def replay(self) -> None:
        pass


@pytest.mark.skipif(torch.cuda.is_available(), reason="with a GPU it would run")
def test_it_runs_from_the_checkout_uninstalled(tmp_path: Path) -> None:
    """As on a GPU machine: with nothing of the project installed, and none of its packages' start-up files."""
    site = [path for path in sys.path if path.endswith("site-packages")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "starter"), str(ROOT), *site])}
    code = (
        "import batching_lab, grader.proving.benchmarks.gpu_check as c, sys; print(batching_lab.__file__); "
        "sys.exit(c.main([]))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, "--device", "cuda", "--out", str(tmp_path)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=100,
    )  # fmt: skip
    assert str((ROOT / "starter").resolve()) in done.stdout
    assert done.returncode == 2 and "the device cuda can't be used" in done.stderr and done.stderr.count("\n") == 1


def test_the_guide_gives_the_estimates_that_the_code_makes() -> None:
    for machine in MACHINES:
        seconds = estimate(machine)
        assert f"| {machine.name} | {seconds['full']:.0f} | {seconds['quick']:.0f} |" in GUIDE
    h200, t4 = (estimate(machine) for machine in MACHINES)
    assert h200["full"] <= 60 and h200["quick"] <= 20 and t4["full"] <= 300
    assert count_launches() > 20 * 30


def test_the_guide_explains_every_flag_and_names_the_workloads_sizes() -> None:
    assert set(re.findall(r"^\| `([\w ]+)` \|", GUIDE, re.MULTILINE)) == {flag.word for flag in Flag}
    assert f"{ON_CUDA.num_jobs} requests" in GUIDE and f"{ON_CUDA.num_slots} slots" in GUIDE
    assert f"{ON_CUDA.num_blocks:,} blocks" in GUIDE
    assert f"{ON_CUDA.num_blocks:,} blocks" in (ROOT / "handout.md").read_text(encoding="utf-8")


def test_no_figure_is_kept_before_a_gpu_has_run() -> None:
    """The guide says unverified as long as there are no kept results, and no longer."""
    assert ("**Unverified:" in GUIDE) == (not KEPT.exists())


@pytest.mark.parametrize(
    ("scores", "is_right"),
    [
        ([6.0, 3.1, 0.0], True),
        ([6.0, 2.0, 0.0], True),
        ([5.9, 3.1, 0.0], False),
        ([6.0, 6.0, 0.0], False),
        ([6.0, 1.9, 0.0], False),
        ([6.0, 3.1, 2.0], False),
        ([6.0, None, 0.0], False),
    ],
)
def test_which_points_the_three_submissions_must_get(scores: list[float | None], is_right: bool) -> None:
    """The solution all, the slow one those for being right and not all, the one with double allocation none."""
    assert has_right_points(scores) == is_right
