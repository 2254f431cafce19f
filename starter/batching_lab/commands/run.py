"""`python -m batching_lab run`: serve jobs and print every tick."""

import argparse
import sys
from pathlib import Path

from batching_lab.commands import common
from batching_lab.commands.costs import cost_table, parse_unit_cost
from batching_lab.commands.long_runs import picture, request_table, tick_table
from batching_lab.reports.run_json import trace_json
from batching_lab.tables import percent
from batching_lab.timing.cost_model import load_cost_model
from batching_lab.trace import Trace, UnitCost

EXAMPLES = """\
--cost-model FILE prices the run in milliseconds with a fit that `calibrate` has written, beside the ticks and, with
--unit-cost, beside invented units. Such a fit holds for one machine, model and version.

Of a long run it prints the first 50 ticks and requests, and percentiles; --json has all.

examples:
  python -m batching_lab run --jobs A=4,B=1,C=1 --slots 2
  python -m batching_lab run --jobs A=2+20,B=64+1@4 --unit-cost 10,1,0.01
  python -m batching_lab run --workload bursty --num-jobs 60 --seed 1 --slots 4
  python -m batching_lab run --jobs AzureLLMInferenceTrace_conv.csv --limit 1000 --tick-seconds 0.05 \\
      --slots 64 --token-budget 2048 --chunked-prefill --blocks 8192"""


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    parser = common.add_command(
        commands, "run", run, "serve jobs and print every tick", f"{common.JOBS_HELP}\n\n{EXAMPLES}"
    )
    common.add_submission_option(parser)
    common.add_workload_options(parser)
    common.add_drawing_options(parser)
    parser.add_argument("--policy", choices=("static", "continuous"), default="continuous", help="default: continuous")
    parser.add_argument(
        "--unit-cost", metavar="BASE,PER_TOKEN,PER_CONTEXT_TOKEN", help="price the run in invented units"
    )
    parser.add_argument("--cost-model", type=Path, metavar="FILE", help="price it in milliseconds, see below")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the trace there, as JSON")


def run(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    costs, note = costs_from(options)
    lab = common.harness_from(options)
    workload = common.workload_from(options, options.policy)
    common.say_what_has_no_effect(options, options.policy)
    trace, fault = common.serve_workload(lab, workload)
    if trace is not None:
        print(f"{options.policy} batching\n\n{tick_table(trace, last=bool(fault))}\n\n{request_table(trace)}\n")
        print(picture(trace, common.symbols(options)))
        print(f"\n{totals(trace)}")
        if costs:
            print(f"\n{cost_table(trace, costs)}{note}")
        if options.json is not None:
            common.write_text("--json", options.json, trace_json(trace) + "\n")
    if fault:
        sys.stdout.flush()
        print(fault, file=sys.stderr)
    return common.FAULT if fault else common.OK


def costs_from(options: argparse.Namespace) -> tuple[dict[str, UnitCost], str]:
    """Name of the unit -> cost, and what is to be said below the table. Raises `UsageError` that names the option."""
    costs, note = {}, ""
    if options.unit_cost is not None:
        costs["units"] = parse_unit_cost(options.unit_cost)
    if options.cost_model is not None:
        try:
            model = load_cost_model(options.cost_model)
        except ValueError as error:
            raise common.UsageError(f"--cost-model: {error}") from None
        costs["ms"] = model.cost
        note = f"\nThe milliseconds are a fit: {model}. Any other machine, model or version has its own."
    return costs, note


def totals(trace: Trace) -> str:
    """Ticks, and the shares of slots and blocks that were in use."""
    text = f"{trace.num_ticks} ticks, slots in use {percent(trace.slot_utilization)}"
    if trace.kv_utilization is not None:
        text += f", KV blocks in use {percent(trace.kv_utilization)}"
        text += f", preemptions {trace.num_preemptions}, tokens recomputed {trace.num_recomputed_tokens}"
    return text + "."
