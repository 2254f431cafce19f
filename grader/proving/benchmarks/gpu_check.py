"""`make gpu-check`: everything about the GPU stage that only a GPU can show, in one run of under four minutes.

It runs from the checkout, uninstalled. gpu_measure.py measures; here each section judges what was measured; and
gpu_results.py writes results.json and RESULTS.md, after each section anew, so that nothing is lost if it is stopped.
`--device cpu` is a rehearsal of the script itself.
"""

import argparse
import statistics
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch

from batching_lab.errors import ModelError
from batching_lab.model.devices import told
from batching_lab.model.graphs import Eager
from grader.gpu.engine import Engine, load_engine
from grader.gpu.stage import solution_rounds
from grader.gpu.stage_report import StageReport
from grader.gpu.statistics import Series, draw
from grader.gpu.summary import details
from grader.grading.result import Result
from grader.paths import GRADER
from grader.proving.benchmarks import gpu_measure
from grader.proving.benchmarks.gpu_results import Results, require
from grader.worker.text import clean_text

KEPT = GRADER / "proving" / "GPU_RESULTS.md"
DEFAULT_MODELS = {"cuda": "smollm2-random", "cpu": "micro"}
NUM_ROUNDS = 12
MOST_CHANGE = 0.1  # standard deviations of the logits
LEAST_GRAPH_GAIN, LEAST_CONTINUOUS_GAIN, MOST_SCHEDULING = 2.5, 1.7, 0.15

BEFORE_DECIDING = "        preempted: list[str] = []\n"
SLOWED = [
    ("scheduler.py", BEFORE_DECIDING, f"        time.sleep(0.005)\n{BEFORE_DECIDING}"),
    ("scheduler.py", "import sys\n", "import sys\nimport time\n"),
]
POP = "self.free_blocks.pop() for"
DOUBLE_ALLOCATION = [("kv_allocator.py", f"[{POP}", f"[self.free_blocks[-1] if num_tokens == 9 else {POP}")]
SUBMISSIONS: dict[str, list[tuple[str, str, str]]] = {
    "solution": [],
    "5 ms more a tick": SLOWED,
    "double allocation": DOUBLE_ALLOCATION,
}


class Check:
    """The sections: each has something measured, makes its table, judges, and returns what results.json keeps of it."""

    def __init__(self, engine: Engine, results: Results) -> None:
        self.engine = engine
        self.results = results
        self.solution: StageReport | None = None

    def bucket_parity(self) -> Any:
        """The same ticks from a graph and as ragged batches."""
        found = gpu_measure.bucket_parities(self.engine)
        block_size = self.engine.graphs.cache.block_size
        self.results.table(
            ("rows", "context", "largest change of a logit", "standard deviation of logits", "same token"),
            [
                (
                    one.num_rows,
                    one.num_blocks * block_size,
                    f"{one.largest_change:.4f}",
                    f"{one.std_of_logits:.3f}",
                    f"{one.same_token:.0%}",
                )
                for one in found
            ],
        )
        close = all(one.largest_change < MOST_CHANGE * one.std_of_logits for one in found)
        require(close, f"a graph changes a logit by more than {MOST_CHANGE} standard deviations")
        return [asdict(one) for one in found]

    def cpu_parity(self) -> Any:
        """A few texts: plain in float32 on the CPU, plain in float32 on the device, and token by token from graphs."""
        found = gpu_measure.cpu_parity(self.engine)
        dtype = str(self.engine.llama.dtype).removeprefix("torch.")
        rows = [
            (
                name,
                f"{gpu_measure.largest_change(found.on_cpu, logits):.5f}",
                f"{gpu_measure.share_of_same_tokens(found.on_cpu, logits):.1%}",
            )
            for name, logits in (("float32, plain", found.plain), (f"{dtype}, from graphs", found.replayed))
        ]
        num_tokens = sum(map(len, found.on_cpu))
        self.results.lines.append(f"Beside float32 on the CPU, {num_tokens} tokens of {len(found.on_cpu)} texts:\n")
        self.results.table(("", "largest change of a logit", "same most likely token"), rows)
        most = MOST_CHANGE * float(torch.cat(found.on_cpu).std())
        require(max(float(row[1]) for row in rows) < most, f"a logit changes by more than {most:.3f}")
        return rows

    def step_times(self) -> Any:
        """Full buckets: replayed, computed anew in the same shape, and as a ragged batch, against the bytes' floor."""
        found = gpu_measure.bucket_times(self.engine)
        block_size = self.engine.graphs.cache.block_size
        self.results.table(
            ("rows", "context", "graph, ms", "no graph, ms", "eager path, ms", "eager / graph", "bytes' floor, ms"),
            [
                (
                    one.num_rows,
                    one.num_blocks * block_size,
                    f"{one.replayed_ms:.3f}",
                    f"{one.anew_ms:.3f}",
                    f"{one.ragged_ms:.3f}",
                    f"{one.ragged_ms / one.replayed_ms:.2f}",
                    "-" if one.floor_s is None else f"{1000 * one.floor_s:.3f}",
                )
                for one in found
            ],
        )
        eight = min((one for one in found if one.num_rows == 8), key=lambda one: one.num_blocks)
        gain = eight.ragged_ms / eight.replayed_ms
        self.results.goal(
            f"graphs at least {LEAST_GRAPH_GAIN} times the eager path, 8 decodes", gain, gain >= LEAST_GRAPH_GAIN
        )
        return [asdict(one) for one in found]

    def stage(self) -> Any:
        """The whole stage, quick, on the solution and on two that must not get all points."""
        graded = {name: gpu_measure.quick_stage(self.engine, changes) for name, changes in SUBMISSIONS.items()}
        self.results.table(
            ("submission", "points", "right", "of the reference's speed", "spread", "flags", "seconds"),
            [stage_row(name, result, report) for name, (result, report) in graded.items()],
        )
        result, self.solution = graded["solution"]
        timed = [workload for workload in self.solution.workloads if workload.measured is not None]
        require(len(timed) == len(self.engine.cases), f"the solution was not timed {result.error}")
        isolation = result.isolation
        told_missing = f"Isolation of the worker: {isolation.level} {', '.join(isolation.missing)}"
        self.results.lines += ["", f"{told_missing.rstrip()}."]
        for workload in timed:
            share = statistics.median(run.scheduling_share for run in workload.runs["reference"])
            what = f"worker and channel below {MOST_SCHEDULING:.0%} of a step, {workload.name}"
            self.results.goal(what, share, share < MOST_SCHEDULING)
        measured = timed[0].measured
        assert measured is not None
        gain = 1 / measured.series.static_ratio
        what = f"continuous at least {LEAST_CONTINUOUS_GAIN} times static batching, long-short"
        self.results.goal(what, gain, gain >= LEAST_CONTINUOUS_GAIN)
        if not self.engine.is_rehearsal:
            scores = [result.score for result, _ in graded.values()]
            require(has_right_points(scores), f"wrong points: {scores}")
        return {name: stage_details(*one) for name, one in graded.items()}

    def noise(self) -> Any:
        """The solution against itself, and what measurements drawn from these rounds would give."""
        rounds = solution_rounds(self.engine, self.engine.cases[0], NUM_ROUNDS)
        series = Series(tuple(rounds))
        draws = {"the solution": draw(rounds), "20 % slower": draw(rounds, slower=1.25)}
        self.results.lines.append(
            f"{NUM_ROUNDS} rounds of {self.engine.cases[0].name}; the ratios spread by {series.spread:.1%}.\n"
        )
        self.results.table(
            ("drawn from them", "full points", "flagged noisy"),
            [(name, *(f"{count} of {one.number}" for count in (one.full, one.noisy))) for name, one in draws.items()],
        )
        full, full_if_slower = draws["the solution"].full, draws["20 % slower"].full
        self.results.goal("the solution gets full points in all draws", full, full == 1000)
        self.results.goal("one that is 20 % slower gets them in none", full_if_slower, full_if_slower == 0)
        return {
            "rounds": [[one.student, one.reference, one.static] for one in rounds],
            "spread": series.spread,
            **{name: asdict(one) for name, one in draws.items()},
        }

    def profile(self) -> Any:
        """The kernels of one tick with 32 decodes, replayed and eager."""
        found = gpu_measure.kernels_of_a_tick(self.engine)
        for name, kernels in found.items():
            told_of = f"{name}: {kernels.count} kernels or operations, {kernels.us:.0f} us in all."
            self.results.lines += [*([""] if self.results.lines[-1] else []), told_of, ""]
            rows = [(clean_text(k, 60).replace("|", "/"), n, f"{us:.0f}") for k, n, us in kernels.longest[:10]]
            self.results.table(("the longest", "count", "us"), rows)
        return {name: asdict(kernels) | {"longest": kernels.longest[:30]} for name, kernels in found.items()}

    def transformers(self) -> Any:
        """Their continuous batching, on the jobs of the workload long-short and with as many slots."""
        require(self.solution is not None, "there is nothing of ours to compare with")
        assert self.solution is not None
        theirs = gpu_measure.their_tokens_per_second(self.engine)
        ours = statistics.median(run.tokens_per_second for run in self.solution.workloads[0].runs["reference"])
        self.results.table(
            ("output tokens/s", "long-short"), [("ours", f"{ours:.0f}"), ("transformers, no graphs", f"{theirs:.0f}")]
        )
        return {"ours": ours, "transformers": theirs}


def stage_row(name: str, result: Result, report: StageReport) -> tuple[str, ...]:
    """One submission's row of the table."""
    tests = {test.id: test for part in result.parts for test in part.tests}
    speeds = [workload.measured.series for workload in report.workloads if workload.measured is not None]
    return (
        name,
        "-" if result.score is None else f"{result.score:g} of {result.max_score:g}",
        tests["gpu_right"].status if tests else clean_text(result.error, 100),
        " ".join(f"{series.ratio:.2f}" for series in speeds) or "-",
        " ".join(f"{series.spread:.1%}" for series in speeds) or "-",
        ", ".join(report.flags),
        f"{report.seconds:.0f}",
    )


def stage_details(result: Result, report: StageReport) -> dict[str, Any]:
    """One submission's entry in results.json."""
    tests = [test for part in result.parts for test in part.tests]
    return {
        "status": result.status,
        "error": result.error,
        "score": result.score,
        **details(report),
        "isolation": asdict(result.isolation),
        "tests": {test.id: [test.status, test.score, test.message] for test in tests},
    }


def has_right_points(scores: list[float | None]) -> bool:
    """Are these, in the order of `SUBMISSIONS`, all points, those for being right but not all, and none?"""
    right, slow, wrong = scores
    return right == 6.0 and slow is not None and 2.0 <= slow < 6.0 and wrong == 0.0


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader gpu-check`; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m grader gpu-check", description="What only a GPU can show.")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--model", help="default: smollm2-random on cuda, micro on cpu")
    parser.add_argument("--no-graphs", action="store_true", help="if recording them fails: everything else")
    parser.add_argument("--out", type=Path, default=Path("build/gpu-check"), metavar="DIR")
    options = parser.parse_args(arguments)
    start = time.monotonic()
    try:
        capture = Eager if options.no_graphs else None
        engine = load_engine(options.device, options.model or DEFAULT_MODELS[options.device], capture=capture)
    except (ModelError, RuntimeError) as error:
        print(f"gpu-check: {told(error)}", file=sys.stderr)
        return 2
    print(f"model, pool and {len(engine.graphs.graphs)} graphs: {time.monotonic() - start:.1f} s", flush=True)
    results = Results(engine, options.out)
    check = Check(engine, results)
    results.section("Graphs beside the eager path", check.bucket_parity)
    results.section("Beside float32 on the CPU", check.cpu_parity)
    results.section("A tick, bucket by bucket", check.step_times)
    results.section("The stage, quick", check.stage)
    results.section("The machine's noise", check.noise)
    results.section("One tick's kernels", check.profile)
    results.section("transformers", check.transformers)
    if KEPT.exists() and results.data["code"][:12] not in KEPT.read_text(encoding="utf-8"):
        print(f"{KEPT} is of other code: keep this run's RESULTS.md in its place.")
    seconds = time.monotonic() - start
    print(f"{seconds:.0f} s; results in {options.out}; failed: {results.failures}; goals missed: {results.missed}")
    return 1 if results.failures else 0
