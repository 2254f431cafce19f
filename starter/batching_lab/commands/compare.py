"""`python -m batching_lab compare`: the same jobs under static and under continuous batching."""

import argparse
import sys
from itertools import islice

from batching_lab.commands import common
from batching_lab.commands.long_runs import MAX_ROWS, picture
from batching_lab.difference import compare_traces
from batching_lab.harness import Policy
from batching_lab.reports.run_tables import percentiles_in_ticks
from batching_lab.tables import PERCENTILES, format_table, percent
from batching_lab.trace import Trace

EXAMPLES = """\
examples:
  python -m batching_lab compare --jobs A=4,B=1,C=1 --slots 2
  python -m batching_lab compare --workload long-short --num-jobs 60 --slots 8"""


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    what = "serve the same jobs under static and under continuous batching"
    parser = common.add_command(commands, "compare", compare, what, f"{common.JOBS_HELP}\n\n{EXAMPLES}")
    common.add_submission_option(parser)
    common.add_workload_options(parser)
    common.add_drawing_options(parser)


def compare(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    lab = common.harness_from(options)
    traces: list[Trace] = []
    policies: tuple[Policy, Policy] = ("static", "continuous")
    workloads = [common.workload_from(options, policy) for policy in policies]
    common.say_what_has_no_effect(options, *policies)
    for policy, workload in zip(policies, workloads, strict=True):
        trace, fault = common.serve_workload(lab, workload)
        if fault or trace is None:
            print(f"{policy} batching: {fault}", file=sys.stderr)
            return common.FAULT
        traces.append(trace)
        print(f"{policy} batching\n{picture(trace, common.symbols(options))}\n")
    print(compare_traces(traces[0], traces[1], names=policies))
    print()
    print(table(*traces))
    return common.OK


def table(static: Trace, continuous: Trace) -> str:
    """When each request finished under both, and the totals; of many requests the first, and percentiles."""
    traces = (static, continuous)
    shown = islice(static.requests, MAX_ROWS)
    rows = [(request_id, *(outcome(trace, request_id) for trace in traces)) for request_id in shown]
    if len(static.requests) > MAX_ROWS:
        rows.append((f"(and {len(static.requests) - MAX_ROWS} more)", "", ""))
        rows += percentile_rows(*traces)
    rows.append(("total ticks", str(static.num_ticks), str(continuous.num_ticks)))
    rows.append(("slots in use", percent(static.slot_utilization), percent(continuous.slot_utilization)))
    if static.kv_utilization is not None:
        rows.append(("KV blocks in use", percent(static.kv_utilization), percent(continuous.kv_utilization)))
    return format_table(("finished in tick", "static", "continuous"), rows)


def percentile_rows(static: Trace, continuous: Trace) -> list[tuple[str, str, str]]:
    """One line a percentile that both runs have, in ticks."""
    left, right = percentiles_in_ticks(static), percentiles_in_ticks(continuous)
    return [
        (f"{name} p{share}", str(left[name][i]), str(right[name][i]))
        for name in left
        if name in right
        for i, share in enumerate(PERCENTILES)
    ]


def outcome(trace: Trace, request_id: str) -> str:
    """The tick in which a request finished, or how else it ended."""
    record = trace.requests[request_id]
    return record.status if record.finish_tick is None else str(record.finish_tick)
