"""`python -m batching_lab fuzz`: look for a small workload on which the submission breaks a rule."""

import argparse
import os
from pathlib import Path

from batching_lab.commands import common
from batching_lab.harness import Harness, Workload
from batching_lab.submission.loading import error_text
from batching_lab.testing.rerun import run_again

SECONDS_A_RUN = 1.0  # 8 small jobs take milliseconds

EPILOG = """\
The serving loop checks every tick of random workloads: limits, blocks, what update() names, progress. The first
workload that breaks a rule is shrunk to a smallest one. What the right ticks are is not known here: a scheduler that
keeps every rule, but admits too late, passes. The same seed and files make the same workloads.

what varies, by part (default: all of them)
  1  policy, slots, arrivals, lengths, aborts       4  the same under chunked prefill, continuous batching
  3  and a token budget and a pool of KV blocks     5  max_utilization in a tight pool

exit status: 0 no workload failed; 1 one did; 2 wrong usage.

example: python -m batching_lab fuzz --part 1 --examples 100"""


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    what = "look for a small workload on which your code breaks a rule"
    parser = common.add_command(commands, "fuzz", fuzz, what, EPILOG)
    common.add_submission_option(parser)
    parser.add_argument("--part", choices=("1", "3", "4", "5"), help="vary only what this part is about")
    parser.add_argument("--examples", type=int, default=500, metavar="N", help="workloads to try (default: 500)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")


def fuzz(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    if options.examples < 1:
        raise common.UsageError(f"--examples must be at least 1, not {options.examples}")
    try:
        from batching_lab.testing.fuzzing import search
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise common.UsageError(
            "fuzz needs the package hypothesis; install it with: python -m pip install hypothesis"
        ) from None
    lab = common.harness_from(options)
    found = search(
        lambda workload: fault_of(lab, workload, options.submission), options.part, options.examples, options.seed
    )
    if found.smallest is None:
        print(f"{found.num_runs} workloads, and no rule was broken.")
        return common.OK
    print(f"Workload {found.num_runs} failed. The smallest found that fails:")
    print(found.fault)
    print(run_again(found.smallest, options.submission))
    return common.FAULT


def fault_of(lab: Harness, workload: Workload, shown_folder: Path) -> str:
    """What the submission does wrong on a workload, in a sentence; an endless loop is stopped."""
    from batching_lab.testing.watchdog import EndlessLoop, Watchdog

    watchdog = Watchdog(SECONDS_A_RUN, lambda: give_up(workload, shown_folder))
    try:
        return common.serve_workload(lab, workload)[1]
    except EndlessLoop as error:
        where = error_text(error, lab.submission.folder)
        return f"The run had not ended after {SECONDS_A_RUN:g} s: {where}. Stop its replay with Ctrl-C."
    finally:
        watchdog.disarm()


def give_up(workload: Workload, shown_folder: Path) -> None:
    """A run can't be stopped: say so, and end the process. Runs in the watchdog's thread."""
    print("Your code does not end and can't be stopped: an endless loop that catches every exception?")
    print(run_again(workload, shown_folder), flush=True)
    os._exit(common.FAULT)
