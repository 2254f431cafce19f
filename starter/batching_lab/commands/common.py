"""What the commands share: the options that describe a workload, and running a submission on it."""

import argparse
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from batching_lab.checks import ViolationInRun
from batching_lab.commands.job_options import JOBS_HELP as JOBS_HELP
from batching_lab.commands.job_options import add_job_options, jobs_from
from batching_lab.commands.progress import executor_for
from batching_lab.commands.usage import UsageError as UsageError
from batching_lab.commands.usage import reading_input
from batching_lab.config import SchedulerConfig
from batching_lab.errors import DeviceError, RuleViolation, SubmissionError
from batching_lab.harness import Harness, Policy, Workload
from batching_lab.interfaces import Executor
from batching_lab.reports.timeline import ASCII, Symbols, symbols_for
from batching_lab.submission.loading import Submission, error_text
from batching_lab.trace import Trace
from batching_lab.workloads.command_line import OPTIONS

OK, FAULT, USAGE, INTERRUPTED = 0, 1, 2, 130
KV_POLICY, BLOCK_SIZE = "guaranteed_no_evict", 16  # by default

Commands = Any  # argparse's own type for what add_subparsers() returns has no public name


def add_command(
    commands: Commands, name: str, function: Callable[[argparse.Namespace], int], what: str, epilog: str
) -> argparse.ArgumentParser:
    """A subcommand that `function` carries out; it returns the exit status."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=f"{what[0].upper()}{what[1:]}.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(function=function)
    return parser


def add_submission_option(parser: argparse.ArgumentParser) -> None:
    """--submission: the folder with the student's files."""
    parser.add_argument("--submission", type=Path, default=Path("starter"), metavar="DIR", help="default: starter")


def add_workload_options(parser: argparse.ArgumentParser) -> None:
    """The options of `workload_from`."""
    add_job_options(parser)
    add_limit_options(parser, num_slots=2, blocks="no allocator")


def add_limit_options(parser: argparse.ArgumentParser, num_slots: int, blocks: str) -> None:
    """The options of a `SchedulerConfig` and of the pool. `blocks` says what the pool is by default."""
    parser.add_argument(
        "--slots", type=int, default=num_slots, metavar="N", help=f"max_num_seqs (default: {num_slots})"
    )
    parser.add_argument("--token-budget", type=int, metavar="N", help="max_num_batched_tokens (default: no limit)")
    parser.add_argument("--chunked-prefill", action="store_true", help="enable_chunked_prefill")
    parser.add_argument("--chunk-size", type=int, metavar="N", help="prefill_chunk_size (default: no limit)")
    parser.add_argument(
        "--kv-policy",
        default=KV_POLICY,
        metavar="POLICY",
        help="guaranteed_no_evict (the default) or max_utilization",
    )
    parser.add_argument("--blocks", type=int, metavar="N", help=f"KV blocks in the pool (default: {blocks})")
    parser.add_argument("--block-size", type=int, default=BLOCK_SIZE, metavar="N", help="tokens a block (default: 16)")


def add_drawing_options(parser: argparse.ArgumentParser) -> None:
    """The options of `symbols`."""
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")


def number_range(option: str, text: str) -> range:
    """The whole numbers of a text like `5..20`, both ends included.

    >>> number_range("--ticks", "5..20")
    range(5, 21)

    Raises `UsageError` that names the option.
    """
    first, dots, last = text.partition("..")
    if not (dots and first.isdecimal() and last.isdecimal()):
        raise UsageError(f"{option}: can't read {text!r}: it must look like 5..20")
    with reading_input():  # no number has more than 4300 digits
        numbers = range(int(first), int(last) + 1)
    if not numbers:
        raise UsageError(f"{option}: {text} is empty: {first} is more than {last}")
    return numbers


def symbols(options: argparse.Namespace) -> Symbols:
    """ASCII if that was asked for, else what standard output can show."""
    return ASCII if options.ascii else symbols_for(sys.stdout)


def require_positive(options: argparse.Namespace, *names: str) -> None:
    """Raise `UsageError` for the first of these options that was given and is below 1."""
    for name in names:
        value = getattr(options, name)
        if value is not None and value < 1:
            raise UsageError(f"--{name.replace('_', '-')} must be at least 1, not {value}")


def config_from(options: argparse.Namespace) -> SchedulerConfig:
    """Raises `UsageError` with a sentence that names the wrong option."""
    require_positive(options, "slots", "token_budget", "chunk_size", "blocks", "block_size")
    values = {name: getattr(options, option.replace("-", "_")) for option, name in OPTIONS.items()}
    with reading_input():
        return SchedulerConfig(**values)


def say_what_has_no_effect(options: argparse.Namespace, *policies: Policy) -> None:
    """A line on standard error for each limit that was given and changes nothing under these policies."""
    given = {
        "token-budget": options.token_budget is not None,
        "chunked-prefill": options.chunked_prefill,
        "chunk-size": options.chunk_size is not None,
        "kv-policy": options.kv_policy != KV_POLICY,
        "block-size": options.block_size != BLOCK_SIZE,
    }
    for option in (option for option, is_given in given.items() if is_given):
        if policies == ("static",) and option != "block-size":
            why = "under static batching"
        elif option == "chunk-size" and not options.chunked_prefill:
            why = "without --chunked-prefill"
        elif option in ("kv-policy", "block-size") and options.blocks is None:
            why = "without --blocks"
        else:
            continue
        print(f"batching_lab: --{option} has no effect {why}", file=sys.stderr)


def workload_from(options: argparse.Namespace, policy: Policy) -> Workload:
    """Raises `UsageError` with a sentence that names the wrong option or job."""
    config = config_from(options)
    block_size = None if options.blocks is None else options.block_size
    return Workload(policy, jobs_from(options), config, options.blocks, block_size)


def submission_from(options: argparse.Namespace) -> Submission:
    """Raises `UsageError` if there is no such folder."""
    if not options.submission.is_dir():
        raise UsageError(f"--submission: there is no folder {options.submission}")
    return Submission(options.submission)


def harness_from(options: argparse.Namespace) -> Harness:
    """Raises `UsageError` if there is no such folder."""
    return Harness(submission_from(options))


def serve_workload(
    lab: Harness, workload: Workload, executor: Executor | None = None, checks: Literal["raise", "record"] = "raise"
) -> tuple[Trace | None, str]:
    """The trace, and a sentence if the submission did something wrong (then the trace ends early, or is None).

    executor  None: one that makes up tokens
    """
    folder = lab.submission.folder
    try:
        if executor is not None:
            return lab.serve(workload, executor, checks), ""
        with executor_for(workload.jobs) as simulated:
            return lab.serve(workload, simulated, checks), ""
    except RuleViolation as violation:
        return violation.trace if isinstance(violation, ViolationInRun) else None, str(violation)
    except DeviceError:  # no fault of the student's
        raise
    except SubmissionError as error:
        return None, f"{error}."
    except NotImplementedError as error:
        return None, f"{function_of(error)} is not done yet."
    except (Exception, SystemExit) as error:  # whatever the student's code raises is told in one line
        if isinstance(error, ValueError) and not came_through(error, folder):
            raise  # a fault of the lab's own
        return None, f"Your code raised {error_text(error, folder)}."


def came_through(error: BaseException, folder: Path) -> bool:
    """Did an exception come through a file of this folder?"""
    return any(Path(frame.f_code.co_filename).parent == folder for frame, _ in traceback.walk_tb(error.__traceback__))


def function_of(error: BaseException) -> str:
    """Where an exception was raised: `ContinuousScheduler.schedule in scheduler.py, line 120`."""
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    return f"{frame.f_code.co_qualname} in {Path(frame.f_code.co_filename).name}, line {line},"


def write_text(option: str, path: Path, text: str) -> None:
    """Raises `UsageError` that names the option if the file can't be written."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{option}: can't write {path}: {error.strerror}") from None
    except UnicodeEncodeError as error:  # a name that was given holds bytes that are no text
        raise UsageError(f"{option}: can't write {path}: {error}") from None
