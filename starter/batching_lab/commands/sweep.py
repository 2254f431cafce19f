"""`python -m batching_lab sweep`: one option over several values, one line a run."""

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from batching_lab.commands import common
from batching_lab.commands.costs import parse_unit_cost
from batching_lab.commands.usage import reading_input
from batching_lab.harness import Policy, Workload
from batching_lab.reports.sweep import SHARES, Measure, Setting, measure, varied
from batching_lab.tables import format_table, percent

MAX_RUNS = 1000
POLICIES: dict[str, tuple[Policy, ...]] = {
    "static": ("static",),
    "continuous": ("continuous",),
    "both": ("static", "continuous"),
}

EPILOG = """\
what can be varied: --vary NAME=VALUES, where VALUES is 4..20 or 1,2,4 or both: 1,2,4..8
  ID            output length of the job ID
  slots, token-budget, chunk-size, kv-policy, blocks, block-size
                the option of that name. token-budget and chunk-size may be "none": no limit.
                block-size keeps the pool's size in tokens: with larger blocks it has fewer.
Several --vary: every combination.

columns (--columns takes some of them, in any order)
  ticks             until everything is done
  refused           requests refused at the door; the other columns know nothing of them
  slots-in-use      share of the slots that compute something, over all ticks
  ttft-mean, ttft-max, longest-gap
                    time to first token over all requests; longest time from one token to the next
  with --watch ID:  wait (ticks in the queue before it first runs), ttft, finish
  with --blocks:    kv-in-use (share of the pool that is held), kv-waste (share of the slots in held blocks that
                    are empty), preemptions, recomputed (tokens)
  with --unit-cost: units (of the whole run), ttft-mean-units, ttft-max-units, longest-gap-units; ttft-units of
                    the watched request. A tick costs BASE + PER_TOKEN * (tokens computed) + PER_CONTEXT_TOKEN *
                    (tokens computed so far by all who run in it). The units are invented; they are not milliseconds.

examples:
  python -m batching_lab sweep --jobs A=4,B=1,C=1 --vary A=4..20 --watch C --columns ticks,wait,finish
  python -m batching_lab sweep --jobs A=4,B=4,C=4,D=4 --vary slots=1,2,4
  python -m batching_lab sweep --jobs A=1+40,B=1+40,C=64+4@5 --slots 3 --policy continuous \\
      --chunked-prefill --vary chunk-size=4,8,16,32,none --watch C --unit-cost 10,1,0 \\
      --columns ticks,ttft-units,longest-gap,longest-gap-units
  python -m batching_lab sweep --jobs A=6+6,B=6+6,C=6+6 --slots 3 --policy continuous --blocks 4 --block-size 4 \\
      --vary blocks=3..9 --vary kv-policy=guaranteed_no_evict,max_utilization \\
      --columns ticks,ttft-max,preemptions,recomputed
  python -m batching_lab sweep --jobs A=20+9,B=7+30 --policy continuous --blocks 64 \\
      --vary block-size=1,4,16,64 --columns kv-waste --csv waste.csv"""


@dataclass(frozen=True)
class Variation:
    """An option and the settings that it goes through."""

    name: str
    settings: list[Setting]


@dataclass(frozen=True)
class Row:
    """One run: its settings, its policy, and what was measured."""

    settings: tuple[Setting, ...]
    policy: Policy
    measures: dict[str, Measure]


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    what = "let one option go through several values and compare the runs"
    parser = common.add_command(commands, "sweep", sweep, what, f"{EPILOG}\n\n{common.JOBS_HELP}")
    common.add_submission_option(parser)
    common.add_workload_options(parser)
    parser.add_argument("--vary", action="append", required=True, metavar="NAME=VALUES", help="see below")
    parser.add_argument("--policy", choices=tuple(POLICIES), default="both", help="default: both")
    parser.add_argument("--watch", metavar="ID", help="add the columns of one request")
    parser.add_argument("--unit-cost", metavar="BASE,PER_TOKEN,PER_CONTEXT_TOKEN", help="add the columns in units")
    parser.add_argument("--columns", metavar="NAMES", help="only these columns, with commas between them")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the table there too, as CSV")


def sweep(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    variations = [parse_variation(text) for text in options.vary]
    cost = None if options.unit_cost is None else parse_unit_cost(options.unit_cost)
    lab = common.harness_from(options)
    first, *others = POLICIES[options.policy]
    workloads = [common.workload_from(options, first)]
    workloads += [replace(workloads[0], policy=policy) for policy in others]
    if options.watch is not None and options.watch not in workloads[0].request_ids:
        raise common.UsageError(f"--watch: there is no job {options.watch}")
    rows: list[Row] = []
    for settings, workload in combinations(variations, workloads, options.block_size):
        trace, fault = common.serve_workload(lab, workload)
        if fault or trace is None:
            print(f"{where(variations, settings)}, {workload.policy} batching: {fault}", file=sys.stderr)
            return common.FAULT
        rows.append(Row(settings, workload.policy, measure(trace, options.watch, cost)))
    columns = chosen_columns(options.columns, list(rows[0].measures))
    heading = (*(variation.name for variation in variations), "policy", *columns)
    if options.csv is not None:
        common.write_text("--csv", options.csv, csv_text(heading, rows, columns))
    print(format_table(heading, [cells(row, columns) for row in rows]))
    return common.OK


def parse_variation(text: str) -> Variation:
    """`A=4..20`, `slots=1,2,4` or `kv-policy=guaranteed_no_evict,max_utilization`.

    Raises `UsageError` that names the option and what can't be read.
    """
    name, equals, values = text.partition("=")
    if not (name and equals and values):
        raise common.UsageError(f"--vary: can't read {text!r}: it must look like A=4..20 or slots=1,2,4")
    if name == "kv-policy":
        return Variation(name, list(values.split(",")))
    settings: list[Setting] = []
    for word in values.split(","):
        if word == "none" and name in ("token-budget", "chunk-size"):
            settings.append(None)
        elif word.isdecimal():
            with reading_input():
                settings.append(int(word))
        else:
            numbers = common.number_range(f"--vary {name}", word)
            settings += numbers[: MAX_RUNS + 1]  # one too many is enough to be refused
    return Variation(name, settings)


def combinations(
    variations: list[Variation], workloads: list[Workload], new_block_size: int
) -> list[tuple[tuple[Setting, ...], Workload]]:
    """Every combination of settings under every policy; all of them are checked before the first run.

    new_block_size  as in `varied`

    Raises `UsageError` that names the wrong setting.
    """
    runs = []
    for settings in product(*(variation.settings for variation in variations)):
        for base in workloads:
            workload = base
            for variation, setting in zip(variations, settings, strict=True):
                try:
                    workload = varied(workload, variation.name, setting, new_block_size)
                except ValueError as error:
                    raise common.UsageError(f"--vary {variation.name}={shown(setting)}: {error}") from None
            runs.append((settings, workload))
            if len(runs) > MAX_RUNS:
                raise common.UsageError(f"--vary: these are more than {MAX_RUNS} runs")
    return runs


def chosen_columns(names: str | None, columns: list[str]) -> list[str]:
    """Raises `UsageError` that names a column which there is not."""
    if names is None:
        return columns
    chosen = names.split(",")
    for name in chosen:
        if name not in columns:
            raise common.UsageError(
                f"--columns: there is no column {name!r} here, but there are {', '.join(columns)}; "
                "--watch, --blocks and --unit-cost add more"
            )
    return chosen


def where(variations: list[Variation], settings: tuple[Setting, ...]) -> str:
    """`A=5, slots=2`."""
    pairs = zip(variations, settings, strict=True)
    return ", ".join(f"{variation.name}={shown(setting)}" for variation, setting in pairs)


def shown(setting: Setting) -> str:
    """A setting as the option is written."""
    return "none" if setting is None else str(setting)


def cells(row: Row, columns: list[str]) -> tuple[str, ...]:
    """A row as the table shows it."""
    return (*map(shown, row.settings), row.policy, *(cell(column, row.measures[column]) for column in columns))


def cell(column: str, value: Measure) -> str:
    """A measure as the table shows it; `-` if there was nothing to measure."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return percent(value) if column in SHARES else f"{value:.2f}"
    return str(value)


def csv_text(heading: Sequence[str], rows: list[Row], columns: list[str]) -> str:
    """The rows as CSV with a heading: shares from 0 to 1, nothing where there was nothing to measure."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(heading)
    for row in rows:
        numbers = [row.measures[column] for column in columns]
        values = [round(number, 6) if isinstance(number, float) else number for number in numbers]
        writer.writerow([*map(shown, row.settings), row.policy, *values])
    return file.getvalue()
