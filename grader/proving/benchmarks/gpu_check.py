"""`make gpu-check`: everything about the GPU stage that only a GPU can show, in one run of under four minutes.

It runs from the checkout, uninstalled. It writes results.json and RESULTS.md, after each section anew, so that nothing
is lost if it is stopped. `--device cpu` is a rehearsal of the script itself.
"""

import argparse
import contextlib
import datetime
import functools
import json
import platform
import random
import statistics
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import torch

from batching_lab.errors import ModelError
from batching_lab.model.devices import told
from batching_lab.model.graphs import Bucket, Eager
from batching_lab.model.judging.logits import plain_logits
from batching_lab.model.loading.load import load_model
from batching_lab.model.run_log import Step
from grader.gpu.engine import Engine, describe, gpu_state, load_engine, ragged_logits
from grader.gpu.stage import StageOptions, grade_on_gpu, solution_rounds
from grader.gpu.statistics import Series, draw
from grader.gpu.summary import details
from grader.grading.options import GradingOptions
from grader.grading.result import write_atomically
from grader.paths import GRADER, SOLUTION, Use, digest_for
from grader.proving.benchmarks import bench_model
from grader.proving.helpers import make_submission
from grader.worker.text import clean_text

KEPT = GRADER / "proving" / "GPU_RESULTS.md"
DEFAULT_MODELS = {"cuda": "smollm2-random", "cpu": "micro"}
REPEATS = 20
MOST_EAGER_REPEATS = 5
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


class Check:
    """Runs the sections, keeps what they found, and writes it."""

    def __init__(self, engine: Engine, out: Path) -> None:
        self.engine = engine
        self.out = out
        self.data: dict[str, Any] = {
            "date": datetime.date.today().isoformat(),
            "code": code_digest(),
            "about": describe(engine) | gpu_state() | {"Python": platform.python_version()},
        }
        self.lines = [
            "# What `make gpu-check` measured",
            "",
            f"{self.data['date']}, code {self.data['code'][:12]}. Made by the script; don't edit.",
            "",
            *(f"- {name}: {value}" for name, value in self.data["about"].items()),
        ]
        self.failures: list[str] = []
        self.is_broken = False  # CUDA remembers an error: nothing works after it

    def section(self, title: str, run: Callable[[], Any]) -> None:
        """A section that breaks is told, and does not keep the others from running."""
        start = time.monotonic()
        self.lines += ["", f"## {title}", ""]
        try:
            self.require(not self.is_broken, "not run: CUDA broke in a section before this one")
            self.data[title] = run()
            self.engine.synchronize()
        except Exception as error:
            traceback.print_exc()
            self.failures.append(title)
            self.data[title] = {"error": f"{type(error).__name__}: {error}"}
            told = f"Failed: {type(error).__name__}: {' '.join(str(error).split())[:300]}"
            self.lines += [told] if self.lines[-1] == "" else ["", told]
            try:
                self.engine.synchronize()
            except RuntimeError:
                self.is_broken = True
        print(f"{title}: {time.monotonic() - start:.1f} s", flush=True)
        self.write()

    def table(self, heading: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
        for cells in (heading, ("---",) * len(heading), *rows):
            self.lines.append(f"| {' | '.join(str(cell) for cell in cells)} |")

    def goal(self, what: str, value: float, is_met: bool) -> None:
        verdict = "no goal on a processor" if self.engine.is_rehearsal else "met" if is_met else "missed"
        self.lines += ["", f"Goal: {what}: {value:.3g}, {verdict}."]
        self.data.setdefault("goals", {})[what] = {"value": value, "verdict": verdict}

    def require(self, condition: bool, what: str) -> None:
        """What must hold: else the section has failed, with its table."""
        if not condition:
            raise AssertionError(what)

    def write(self) -> None:
        write_atomically(self.out / "results.json", json.dumps(self.data, indent=1) + "\n")
        write_atomically(self.out / "RESULTS.md", "\n".join(self.lines) + "\n")

    # -- is it right?

    @torch.inference_mode()
    def bucket_parity(self) -> Any:
        """The same ticks from a graph and as ragged batches, on the same cache full of random keys and values."""
        cache, graphs = self.engine.graphs.cache, self.engine.graphs
        generator = torch.Generator(device=cache.device).manual_seed(1)
        for pool in (*cache.keys, *cache.values):  # layer by layer: a whole pool in float32 may not fit
            pool.normal_(generator=generator)
        rng = random.Random(1)
        found, rows = [], []
        for bucket in graphs.graphs:
            steps = full_ticks(rng, bucket, self.engine)
            batch = graphs.prepare(steps)
            assert batch is not None and batch.bucket == bucket
            padded = graphs.run(batch).float().clone()
            ragged = ragged_logits(graphs, steps).float()
            change, spread = float((padded - ragged).abs().max()), float(ragged.std())
            same = float((padded.argmax(-1) == ragged.argmax(-1)).float().mean())
            found.append({**vars(bucket), "largest_change": change, "std_of_logits": spread, "same_token": same})
            rows.append(
                (bucket.num_rows, bucket.num_blocks * cache.block_size, f"{change:.4f}", f"{spread:.3f}", f"{same:.0%}")
            )
        cache.keys.zero_()
        cache.values.zero_()
        self.table(("rows", "context", "largest change of a logit", "standard deviation of logits", "same token"), rows)
        close = all(one["largest_change"] < MOST_CHANGE * one["std_of_logits"] for one in found)
        self.require(close, f"a graph changes a logit by more than {MOST_CHANGE} standard deviations")
        return found

    @torch.inference_mode()
    def cpu_parity(self) -> Any:
        """Four texts: plain in float32 on the CPU, plain in float32 on the device, and token by token from graphs."""
        on_cpu = load_model(self.engine.model_name).llama
        jobs = self.engine.cases[0].workload.jobs[:4]
        rng = random.Random(2)
        texts = [
            [*job.request.prompt_token_ids, *(rng.randrange(on_cpu.config.vocab_size) for _ in range(24))]
            for job in jobs
        ]
        expected = [plain_logits(on_cpu, text) for text in texts]
        reference = [plain_logits(self.engine.reference, text).cpu() for text in texts]
        replayed = [torch.stack(rows) for rows in self.token_by_token(texts)]
        rows = [
            ("float32, plain", *compared(expected, reference)),
            (f"{str(self.engine.llama.dtype).removeprefix('torch.')}, from graphs", *compared(expected, replayed)),
        ]
        self.lines.append(f"Beside float32 on the CPU, {sum(map(len, texts))} tokens of {len(texts)} texts:\n")
        self.table(("", "largest change of a logit", "same most likely token"), rows)
        most = MOST_CHANGE * float(torch.cat(expected).std())
        self.require(max(float(row[1]) for row in rows) < most, f"a logit changes by more than {most:.3f}")
        return rows

    def token_by_token(self, texts: list[list[int]]) -> list[list[torch.Tensor]]:
        graphs, block_size = self.engine.graphs, self.engine.graphs.cache.block_size
        num_blocks = -(-max(map(len, texts)) // block_size)
        logits: list[list[torch.Tensor]] = [[] for _ in texts]
        for position in range(max(map(len, texts))):
            live = [number for number, text in enumerate(texts) if position < len(text)]
            tables = {number: tuple(range(number * num_blocks, (number + 1) * num_blocks)) for number in live}
            batch = graphs.prepare(
                [Step(f"t{number}", position, (texts[number][position],), tables[number], True) for number in live]
            )
            assert batch is not None
            for number, row in zip(live, graphs.run(batch).float().cpu(), strict=True):
                logits[number].append(row.clone())
        return logits

    # -- how fast is a tick?

    @torch.inference_mode()
    def step_times(self) -> Any:
        """Full buckets: replayed, computed anew in the same shape, and as a ragged batch, against the bytes' floor."""
        graphs, engine = self.engine.graphs, self.engine
        rng = random.Random(3)
        found, rows, gains = [], [], {}
        for bucket in sorted(graphs.graphs, key=lambda bucket: (bucket.num_blocks, bucket.num_rows)):
            steps = full_ticks(rng, bucket, engine)
            batch = graphs.prepare(steps)
            assert batch is not None
            replayed = self.milliseconds(functools.partial(graphs.run, batch), REPEATS)
            anew = self.milliseconds(graphs.work(bucket), MOST_EAGER_REPEATS)
            ragged = self.milliseconds(functools.partial(ragged_logits, graphs, steps), MOST_EAGER_REPEATS)
            floor = engine.floor_seconds([sum(step.end for step in steps)])
            context = bucket.num_blocks * graphs.cache.block_size
            gains[bucket.num_rows, context] = ragged / replayed
            found.append(
                {**vars(bucket), "replayed_ms": replayed, "anew_ms": anew, "ragged_ms": ragged, "floor_s": floor}
            )
            shown = "-" if floor is None else f"{1000 * floor:.3f}"
            rows.append(
                (
                    bucket.num_rows,
                    context,
                    f"{replayed:.3f}",
                    f"{anew:.3f}",
                    f"{ragged:.3f}",
                    f"{ragged / replayed:.2f}",
                    shown,
                )
            )
        self.table(
            ("rows", "context", "graph, ms", "no graph, ms", "eager path, ms", "eager / graph", "bytes' floor, ms"),
            rows,
        )
        gain = gains[8, min(context for rows_, context in gains if rows_ == 8)]
        self.goal(f"graphs at least {LEAST_GRAPH_GAIN} times the eager path, 8 decodes", gain, gain >= LEAST_GRAPH_GAIN)
        return found

    def milliseconds(self, work: Callable[[], object], repeats: int) -> float:
        """The median, each with a wait for its end: as a tick waits for its tokens."""
        times = []
        for _ in range(repeats + 2):
            self.engine.synchronize()
            start = time.perf_counter()
            work()
            self.engine.synchronize()
            times.append(1000 * (time.perf_counter() - start))
        return statistics.median(times[2:])

    # -- the stage

    def stage(self) -> Any:
        """The whole stage, quick, on the solution and on two that must not get all points."""
        found = {}
        rows = []
        for name, changes in (("solution", []), ("5 ms more a tick", SLOWED), ("double allocation", DOUBLE_ALLOCATION)):
            with submission(changes) as folder:
                result, report = grade_on_gpu(
                    folder, self.engine, StageOptions(is_quick=True, grading=GradingOptions(isolation="best"))
                )
            found[name] = {"status": result.status, "error": result.error, "score": result.score} | details(report)
            found[name]["isolation"] = {"level": result.isolation.level, "missing": result.isolation.missing}
            tests = {test.id: test for part in result.parts for test in part.tests}
            found[name]["tests"] = {test.id: [test.status, test.score, test.message] for test in tests.values()}
            speeds = [w.measured.series for w in report.workloads if w.measured is not None]
            rows.append(
                (
                    name,
                    "-" if result.score is None else f"{result.score:g} of {result.max_score:g}",
                    tests["gpu_right"].status if tests else clean_text(result.error, 100),
                    " ".join(f"{series.ratio:.2f}" for series in speeds) or "-",
                    " ".join(f"{series.spread:.1%}" for series in speeds) or "-",
                    ", ".join(report.flags),
                    f"{report.seconds:.0f}",
                )
            )
            if name == "solution":
                self.solution = report
        self.table(("submission", "points", "right", "of the reference's speed", "spread", "flags", "seconds"), rows)
        error = found["solution"]["error"]
        timed = [workload for workload in self.solution.workloads if workload.measured is not None]
        self.require(len(timed) == len(self.engine.cases), f"the solution was not timed {error}")
        level = found["solution"]["isolation"]
        self.lines += ["", f"Isolation of the worker: {level['level']} {', '.join(level['missing'])}".rstrip() + "."]
        for workload in timed:
            share = statistics.median(run.scheduling_share for run in workload.runs["reference"])
            what = f"worker and channel below {MOST_SCHEDULING:.0%} of a step, {workload.name}"
            self.goal(what, share, share < MOST_SCHEDULING)
        measured = timed[0].measured
        assert measured is not None
        gain = 1 / measured.series.static_ratio
        self.goal(
            f"continuous at least {LEAST_CONTINUOUS_GAIN} times static batching, long-short",
            gain,
            gain >= LEAST_CONTINUOUS_GAIN,
        )
        if not self.engine.is_rehearsal:
            scores = [found[name]["score"] for name in found]
            self.require(scores[0] == 6.0 > scores[1] >= 2.0 and scores[2] == 0.0, f"wrong points: {scores}")
        return found

    def noise(self) -> Any:
        """The solution against itself, and what measurements drawn from these rounds would give."""
        rounds = solution_rounds(self.engine, self.engine.cases[0], NUM_ROUNDS)
        series = Series(tuple(rounds))
        found = {"rounds": [[one.student, one.reference, one.static] for one in rounds], "spread": series.spread}
        rows = []
        for name, slower in (("the solution", 1.0), ("20 % slower", 1.25)):
            draws = draw(rounds, slower)
            found[name] = vars(draws)
            rows.append((name, *(f"{count} of {draws.number}" for count in (draws.full, draws.noisy))))
        self.lines.append(
            f"{NUM_ROUNDS} rounds of {self.engine.cases[0].name}; the ratios spread by {series.spread:.1%}.\n"
        )
        self.table(("drawn from them", "full points", "flagged noisy"), rows)
        self.goal("the solution gets full points in all draws", draw(rounds).full, draw(rounds).full == 1000)
        self.goal("one that is 20 % slower gets them in none", draw(rounds, 1.25).full, draw(rounds, 1.25).full == 0)
        return found

    def transformers(self) -> Any:
        """Their continuous batching, on the jobs of the workload long-short and with as many slots."""
        workload = self.engine.cases[0].workload
        self.require(hasattr(self, "solution"), "there is nothing of ours to compare with")
        llama = load_model(self.engine.model_name).llama
        theirs = bench_model.their_model(llama).to(self.engine.llama.device, self.engine.llama.dtype)
        num_slots = workload.config.max_num_seqs
        for _ in range(2):  # the first time is their warm-up
            seconds = bench_model.their_continuous(theirs, workload.jobs, num_slots)
        num_tokens = sum(job.num_output_tokens for job in workload.jobs)
        ours = statistics.median(run.tokens_per_second for run in self.solution.workloads[0].runs["reference"])
        self.table(
            ("output tokens/s", "long-short"),
            [("ours", f"{ours:.0f}"), ("transformers, no graphs", f"{num_tokens / seconds:.0f}")],
        )
        return {"ours": ours, "transformers": num_tokens / seconds}

    def profile(self) -> Any:
        """The kernels of one tick with 32 decodes, replayed and eager."""
        graphs = self.engine.graphs
        largest = min(32, graphs.rows[-1])
        bucket = next(bucket for bucket in graphs.graphs if bucket.num_rows == largest)
        steps = full_ticks(random.Random(4), bucket, self.engine)
        batch = graphs.prepare(steps)
        assert batch is not None
        on_gpu = self.engine.llama.device.type == "cuda"
        kinds = [torch.profiler.ProfilerActivity.CPU, *([torch.profiler.ProfilerActivity.CUDA] if on_gpu else [])]
        found: dict[str, Any] = {}
        for name, work in (("graph", lambda: graphs.run(batch)), ("eager", lambda: ragged_logits(graphs, steps))):
            with torch.profiler.profile(activities=kinds) as profiler, torch.inference_mode():
                work()
                self.engine.synchronize()
            kind = "CUDA" if on_gpu else "CPU"
            events = [
                (e.key, e.count, microseconds_of(e, on_gpu))
                for e in profiler.key_averages()
                if e.device_type.name == kind
                and not e.is_user_annotation  # else a kernel counts twice, with its operation
            ]
            events = sorted((event for event in events if event[2] > 0), key=lambda event: -event[2])
            launched = sum(count for _, count, _ in events)
            total = sum(spent for _, _, spent in events)
            self.lines += [
                *([""] if found else []),
                f"{name}: {launched} kernels or operations, {total:.0f} us in all.",
                "",
            ]
            self.table(
                ("the longest", "count", "us"),
                [(clean_text(k, 60).replace("|", "/"), n, f"{us:.0f}") for k, n, us in events[:10]],
            )
            found[name] = {"count": launched, "us": total, "longest": events[:30]}
        return found


def microseconds_of(event: Any, on_gpu: bool) -> float:
    return float(event.self_device_time_total if on_gpu else event.self_cpu_time_total)


def full_ticks(rng: random.Random, bucket: Bucket, engine: Engine) -> list[Step]:
    """As many decodes as a bucket has rows, with contexts that need all of its blocks, as far as the pool reaches."""
    cache, vocab_size = engine.graphs.cache, engine.llama.config.vocab_size
    free = list(range(cache.num_blocks))
    rng.shuffle(free)
    steps = []
    for row in range(bucket.num_rows):
        num_blocks = min(bucket.num_blocks, len(free) - (bucket.num_rows - row - 1))
        table = tuple(free.pop() for _ in range(num_blocks))
        position = min(num_blocks * cache.block_size, engine.llama.config.context_length) - 1
        steps.append(Step(f"r{row}", position, (rng.randrange(vocab_size),), table, samples=True))
    return steps


def compared(expected: list[torch.Tensor], got: list[torch.Tensor]) -> tuple[str, str]:
    change = max(float((left - right).abs().max()) for left, right in zip(expected, got, strict=True))
    same = [left.argmax(-1) == right.argmax(-1) for left, right in zip(expected, got, strict=True)]
    return f"{change:.5f}", f"{float(torch.cat(same).float().mean()):.1%}"


@contextlib.contextmanager
def submission(changes: list[tuple[str, str, str]]) -> Generator[Path]:
    if not changes:
        yield SOLUTION
        return
    with tempfile.TemporaryDirectory() as folder:
        yield make_submission(Path(folder, "submission"), changes)


def code_digest() -> str:
    """Changes when anything does that the results are about."""
    return digest_for(Use.GPU | Use.KEY)


def main(arguments: list[str]) -> int:
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
    check = Check(engine, options.out)
    check.section("Graphs beside the eager path", check.bucket_parity)
    check.section("Beside float32 on the CPU", check.cpu_parity)
    check.section("A tick, bucket by bucket", check.step_times)
    check.section("The stage, quick", check.stage)
    check.section("The machine's noise", check.noise)
    check.section("One tick's kernels", check.profile)
    check.section("transformers", check.transformers)
    if KEPT.exists() and check.data["code"][:12] not in KEPT.read_text(encoding="utf-8"):
        print(f"{KEPT} is of other code: keep this run's RESULTS.md in its place.")
    missed = [what for what, goal in check.data.get("goals", {}).items() if goal["verdict"] == "missed"]
    print(
        f"{time.monotonic() - start:.0f} s; results in {options.out}; failed: {check.failures}; goals missed: {missed}"
    )
    return 1 if check.failures else 0
