"""`python -m batching_lab run`: serve jobs and print every tick."""

import argparse
import sys
from pathlib import Path

from batching_lab.commands import common
from batching_lab.commands.long_runs import picture, request_table, tick_table
from batching_lab.trace import Trace, percent

EXAMPLES = """\
Of a long run it prints the first 50 ticks and requests, and percentiles; --json has all.

examples:
  python -m batching_lab run --jobs A=4,B=1,C=1 --slots 2
  python -m batching_lab run --workload bursty --num-jobs 60 --seed 1 --slots 4
  python -m batching_lab run --jobs AzureLLMInferenceTrace_conv.csv --limit 1000 --tick-seconds 0.05 \\
      --slots 64 --token-budget 2048 --chunked-prefill --blocks 8192"""


def add_to(commands: common.Commands) -> None:
    parser = common.add_command(
        commands, "run", run, "serve jobs and print every tick", f"{common.JOBS_HELP}\n\n{EXAMPLES}"
    )
    common.add_submission_option(parser)
    common.add_workload_options(parser)
    common.add_drawing_options(parser)
    parser.add_argument("--policy", choices=("static", "continuous"), default="continuous", help="default: continuous")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the trace there, as JSON")


def run(options: argparse.Namespace) -> int:
    lab = common.harness_from(options)
    trace, fault = common.serve_workload(lab, common.workload_from(options, options.policy))
    if trace is not None:
        print(f"{options.policy} batching\n\n{tick_table(trace, last=bool(fault))}\n\n{request_table(trace)}\n")
        print(picture(trace, common.symbols(options)))
        print(f"\n{totals(trace)}")
        if options.json is not None:
            common.write_text("--json", options.json, trace.to_json() + "\n")
    if fault:
        sys.stdout.flush()
        print(fault, file=sys.stderr)
    return common.FAULT if fault else common.OK


def totals(trace: Trace) -> str:
    text = f"{trace.num_ticks} ticks, slots in use {percent(trace.slot_utilization)}"
    if trace.kv_utilization is not None:
        text += f", KV blocks in use {percent(trace.kv_utilization)}"
        text += f", preemptions {trace.num_preemptions}, tokens recomputed {trace.num_recomputed_tokens}"
    return text + "."
