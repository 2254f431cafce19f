"""`python -m batching_lab bench`: static against continuous batching with a real model, by the clock."""

import argparse
import json
import statistics
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from batching_lab.commands import common
from batching_lab.commands.job_options import add_job_options, jobs_from
from batching_lab.commands.model_options import MODEL_HELP, add_model_options, described, load_from
from batching_lab.harness import Harness, Policy, Workload
from batching_lab.tables import PERCENTILES, format_table
from batching_lab.timing.stopwatch import Stopwatch
from batching_lab.trace import Trace
from batching_lab.workloads.pool import blocks_for_all_slots

if TYPE_CHECKING:
    from batching_lab.model.llama import Llama
    from batching_lab.model.timing.timed import TimedRun

POLICIES: tuple[Policy, Policy] = ("static", "continuous")

EPILOG = """\
Both policies serve the same jobs, with random prompts and fixed output lengths, in turns: A B B A A B ... Each pair of
runs gives a ratio of times, and their median is less noisy than any of them. The ratio of the ticks has no noise.
After each run the shadow KV judges its log. Without --jobs and --workload: 32 jobs of the workload mixed.

examples:
  python -m batching_lab bench --pairs 1
  python -m batching_lab bench --workload long-short --num-jobs 8 --slots 4 --pairs 1 --token-budget 96"""


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    what = "time static against continuous batching with a real model"
    parser = common.add_command(commands, "bench", bench, what, f"{MODEL_HELP}\n\n{EPILOG}\n\n{common.JOBS_HELP}")
    add_job_options(parser)
    common.add_submission_option(parser)
    add_model_options(parser)
    common.add_limit_options(parser, num_slots=8, blocks="enough for all slots")
    parser.add_argument("--pairs", type=int, default=3, metavar="N", help="pairs of runs (default: 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all runs there, as JSON")


@dataclass
class Side:
    """The runs of one policy."""

    policy: Policy
    runs: "list[TimedRun]" = field(default_factory=list)

    @property
    def trace(self) -> Trace:
        """What happened, which is the same in each of the runs."""
        return self.runs[0].trace

    @property
    def seconds(self) -> list[float]:
        """Of each run, by the clock."""
        return [run.seconds for run in self.runs]

    @property
    def tokens_per_second(self) -> float:
        """Output tokens a second, by the median of the times."""
        return self.trace.num_output_tokens / statistics.median(self.seconds)

    def percentile(self, name: str, index: int) -> float | None:
        """In milliseconds, the median over the runs; None if nothing was measured."""
        values = [run.watch.percentiles()[name][0][index] for run in self.runs if name in run.watch.percentiles()]
        return statistics.median(values) if values else None


class Broken(Exception):
    """The submission did something wrong; the message says what."""


def bench(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    common.require_positive(options, "pairs")
    if options.jobs is None and options.workload is None:
        options.workload = "mixed"
        options.num_jobs = options.num_jobs or 32
    config = common.config_from(options)
    jobs = jobs_from(options)
    lab = common.harness_from(options)
    llama = load_from(options).llama
    from batching_lab.model.timing.timed import with_random_prompts

    jobs = with_random_prompts(jobs, llama.config.vocab_size, options.seed or 0)
    num_blocks = options.blocks or blocks_for_all_slots(jobs, options.slots, options.block_size)
    sides = {policy: Side(policy) for policy in POLICIES}
    try:
        warm_up = Workload("continuous", jobs[: options.slots], config, num_blocks, options.block_size)
        run_once(lab, llama, warm_up)
        for number in range(options.pairs):
            for policy in POLICIES if number % 2 == 0 else reversed(POLICIES):
                workload = Workload(policy, jobs, config, num_blocks, options.block_size)
                sides[policy].runs.append(run_once(lab, llama, workload))
    except Broken as broken:
        print(broken, file=sys.stderr)
        return common.FAULT
    static, continuous = sides["static"], sides["continuous"]
    ratios = [left / right for left, right in zip(static.seconds, continuous.seconds, strict=True)]
    print(f"{described(options)}; {len(jobs)} jobs, {options.slots} slots, {num_blocks} KV blocks\n")
    print(table(static, continuous))
    print(f"\n{conclusion(static, continuous, ratios)}")
    if options.json is not None:
        data = as_json(options, static, continuous, ratios)
        common.write_text("--json", options.json, json.dumps(data, indent=1) + "\n")
    return common.OK


def run_once(lab: Harness, llama: "Llama", workload: Workload) -> "TimedRun":
    """One run, judged. Raises `Broken` if the submission did something wrong."""
    from batching_lab.model.judging.shadow import find_kv_faults
    from batching_lab.model.timing.timed import timed_run

    def serve(workload: Workload, watch: Stopwatch) -> Trace:
        trace, fault = common.serve_workload(lab, workload, watch)
        if fault or trace is None:
            raise Broken(f"{workload.policy} batching: {fault}")
        return trace

    run = timed_run(llama, workload, serve)
    for fault in find_kv_faults(run.log, workload.jobs):
        raise Broken(f"{workload.policy} batching: {fault.violation()}")
    return run


def table(static: Side, continuous: Side) -> str:
    """Both sides, one line a measure."""
    sides = (static, continuous)
    rows = [row("ticks", [side.trace.num_ticks for side in sides], "d")]
    rows.append(row("seconds", [statistics.median(side.seconds) for side in sides], ".2f"))
    rows.append(row("output tokens/s", [side.tokens_per_second for side in sides], ".0f"))
    for name in ("TTFT", "inter-token latency", "latency"):
        for index, share in enumerate(PERCENTILES):
            values = [side.percentile(name, index) for side in sides]
            if None not in values:
                rows.append(row(f"{name} p{share} ms", [value for value in values if value is not None], ".1f"))
    return format_table(("", *POLICIES, "static / continuous"), rows)


def row(name: str, values: "list[float] | list[int]", form: str) -> tuple[str, ...]:
    """One measure of both sides, and their ratio; `form` says how a number is written."""
    ratio = f"{values[0] / values[1]:.2f}" if values[1] else "-"
    return (name, *(format(value, form) for value in values), ratio)


def conclusion(static: Side, continuous: Side, ratios: list[float]) -> str:
    """How many times as long static batching takes, in time and in ticks."""
    ticks = static.trace.num_ticks / continuous.trace.num_ticks
    pairs = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    return (
        f"In time static batching takes {statistics.median(ratios):.2f} times as long (median of the pairs {pairs}); "
        f"in ticks {ticks:.2f} times, without noise.\n"
        "Times hold for this machine, model and version only."
    )


def as_json(options: argparse.Namespace, static: Side, continuous: Side, ratios: list[float]) -> dict[str, Any]:
    """What --json writes: the settings, the ratios, and each side's runs."""
    import torch

    return {
        "schema": "batching-lab/bench/v1",
        "model": options.model,
        "device": options.device,
        "dtype": options.dtype,
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "slots": options.slots,
        "time_ratio": statistics.median(ratios),
        "tick_ratio": static.trace.num_ticks / continuous.trace.num_ticks,
        "pair_ratios": ratios,
        "runs": {
            side.policy: {
                "ticks": side.trace.num_ticks,
                "output_tokens": side.trace.num_output_tokens,
                "seconds": side.seconds,
                "seconds_in_model": [run.watch.executing_seconds for run in side.runs],
                "tokens_per_second": side.tokens_per_second,
                "percentiles_ms": {
                    name: {str(share): side.percentile(name, i) for i, share in enumerate(PERCENTILES)}
                    for name in side.runs[0].watch.percentiles()
                },
            }
            for side in (static, continuous)
        },
    }
