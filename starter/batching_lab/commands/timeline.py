"""`python -m batching_lab timeline`: the picture of a run, and nothing else."""

import argparse
import sys

from batching_lab.commands import common
from batching_lab.reports.timeline import timeline
from batching_lab.trace import Trace

MAX_REQUESTS = 200

EPILOG = """\
One row a slot, one column a tick: A computes one token there, A:6 computes 6, (A) has its slot but computes nothing.
An empty slot is marked one way while a request waits for it (- in ASCII) and another way when nobody does (.).
Below the picture: each gap, and who waited meanwhile. A picture wider than --width goes on below itself.

examples:
  python -m batching_lab timeline --jobs A=4,B=1,C=1 --slots 2 --policy static
  python -m batching_lab timeline --jobs A=400,B=40,C=1 --slots 2 --policy static --ticks 30..60 --ascii"""


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    what = "draw which request is in which slot, tick by tick"
    parser = common.add_command(commands, "timeline", draw, what, f"{common.JOBS_HELP}\n\n{EPILOG}")
    common.add_submission_option(parser)
    common.add_workload_options(parser)
    common.add_drawing_options(parser)
    parser.add_argument("--policy", choices=("static", "continuous"), default="continuous", help="default: continuous")
    parser.add_argument("--width", type=int, metavar="N", help="columns of the picture (default: the terminal's)")
    parser.add_argument("--ticks", metavar="FIRST..LAST", help="draw only these ticks (default: the first 200)")


def draw(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    if options.width is not None and options.width < 1:
        raise common.UsageError(f"--width must be at least 1, not {options.width}")
    ticks = None if options.ticks is None else common.number_range("--ticks", options.ticks)
    lab = common.harness_from(options)
    workload = common.workload_from(options, options.policy)
    if len(workload.jobs) > MAX_REQUESTS:
        raise common.UsageError(
            f"nobody could follow {len(workload.jobs)} requests in a picture: take {MAX_REQUESTS} or fewer"
        )
    common.say_what_has_no_effect(options, options.policy)
    trace, fault = common.serve_workload(lab, workload)
    if ticks is not None and not fault:
        check_ticks(ticks, trace)
    if trace is not None:
        print(timeline(trace, common.symbols(options), options.width, None if fault else ticks))
    if fault:
        sys.stdout.flush()
        print(fault, file=sys.stderr)
    return common.FAULT if fault else common.OK


def check_ticks(ticks: range, trace: Trace | None) -> None:
    """Raise `UsageError` unless the run has the first of these ticks."""
    num_ticks = 0 if trace is None else trace.num_ticks
    if not 1 <= ticks.start <= num_ticks:
        raise common.UsageError(f"--ticks: the run has {num_ticks} ticks, and no tick {ticks.start}")
