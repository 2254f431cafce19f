"""The student's command line: run a submission, compare static with continuous batching."""

import argparse
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from batching_lab.config import KVPolicy, SchedulerConfig
from batching_lab.errors import RuleViolation, SubmissionError
from batching_lab.harness import Harness, Policy, Workload
from batching_lab.jobs import load_jobs, parse_jobs
from batching_lab.submission import Submission, error_text
from batching_lab.timeline import ASCII, Symbols, symbols_for, timeline
from batching_lab.trace import Trace, format_table

OK, FAULT, USAGE = 0, 1, 2

JOBS_HELP = """\
jobs: ID=[PROMPT+]OUTPUT[/MAX][@ARRIVAL][~ABORT], with commas between them
  A=4        1 prompt token, 4 output tokens       A=6+4@2    arrives at tick 2
  A=6+4      6 prompt tokens, 4 output tokens      A=6+4~5    its client hangs up after tick 5
  A=6+4/9    the same, but max_tokens is 9
or a JSON file: {"jobs": [{"id": "A", "prompt_len": 6, "output_len": 4}, ...]}, where a job may also have
"max_tokens", "arrival" and "abort_at".

exit status: 0 the run ended well; 1 the submission did something wrong; 2 wrong usage.
"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m batching_lab", description="Run your scheduler, tick by tick.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = add_command(commands, "run", run_command, "serve jobs and print every tick")
    run.add_argument("--policy", choices=("static", "continuous"), default="continuous", help="default: continuous")
    run.add_argument("--json", type=Path, metavar="FILE", help="write the trace there, as JSON")
    add_command(commands, "compare", compare_command, "serve the same jobs under static and continuous batching")
    options = parser.parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    command: Callable[[argparse.Namespace], int] = options.function
    try:
        return command(options)
    except ValueError as error:
        print(f"batching_lab: {error}", file=sys.stderr)
        return USAGE


def add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    function: Callable[[argparse.Namespace], int],
    what: str,
) -> argparse.ArgumentParser:
    """A subcommand with the options that describe a workload."""
    example = f"example: python -m batching_lab {name} --jobs A=4,B=1,C=1 --slots 2"
    parser = commands.add_parser(
        name,
        help=what,
        description=f"{what[0].upper()}{what[1:]}.",
        epilog=f"{JOBS_HELP}\n{example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(function=function)
    parser.add_argument("--submission", type=Path, default=Path("starter"), metavar="DIR", help="default: starter")
    parser.add_argument("--jobs", required=True, help="the jobs, as text or as the name of a JSON file; see below")
    parser.add_argument("--slots", type=int, default=2, metavar="N", help="max_num_seqs (default: 2)")
    parser.add_argument("--token-budget", type=int, metavar="N", help="max_num_batched_tokens (default: no limit)")
    parser.add_argument("--chunked-prefill", action="store_true", help="enable_chunked_prefill")
    parser.add_argument("--chunk-size", type=int, metavar="N", help="prefill_chunk_size (default: no limit)")
    parser.add_argument(
        "--kv-policy",
        default="guaranteed_no_evict",
        metavar="POLICY",
        help="guaranteed_no_evict (the default) or max_utilization",
    )
    parser.add_argument("--blocks", type=int, metavar="N", help="KV blocks in the pool (default: no allocator)")
    parser.add_argument("--block-size", type=int, default=16, metavar="N", help="tokens a block (default: 16)")
    parser.add_argument("--ascii", action="store_true", help="draw with ASCII characters only")
    return parser


def workload_from(options: argparse.Namespace, policy: Policy) -> Workload:
    """Raises `ValueError` with a sentence that names the wrong option or job."""
    if not options.submission.is_dir():
        raise ValueError(f"--submission: there is no folder {options.submission}")
    is_file = options.jobs.endswith(".json")
    jobs = load_jobs(Path(options.jobs)) if is_file else parse_jobs(options.jobs)
    kv_policy: KVPolicy = options.kv_policy
    config = SchedulerConfig(
        max_num_seqs=options.slots,
        max_num_batched_tokens=options.token_budget,
        enable_chunked_prefill=options.chunked_prefill,
        prefill_chunk_size=options.chunk_size,
        kv_policy=kv_policy,
    )
    for name, value in (("--blocks", options.blocks), ("--block-size", options.block_size)):
        if value is not None and value < 1:
            raise ValueError(f"{name} must be at least 1, not {value}")
    return Workload(policy, jobs, config, options.blocks, options.block_size)


def serve_workload(submission: Path, workload: Workload) -> tuple[Trace | None, str]:
    """The trace, and a sentence if the submission did something wrong (then the trace may end early or be None)."""
    try:
        return Harness(Submission(submission)).serve(workload), ""
    except RuleViolation as violation:
        return violation.trace, str(violation)
    except SubmissionError as error:
        return None, f"{error}."
    except NotImplementedError as error:
        return None, f"{function_of(error)} is not done yet."
    except Exception as error:  # whatever the student's code raises is told in one line
        return None, f"Your code raised {error_text(error, submission.absolute())}."


def function_of(error: BaseException) -> str:
    """Where an exception was raised: `ContinuousScheduler.schedule in scheduler.py, line 120`."""
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    return f"{frame.f_code.co_qualname} in {Path(frame.f_code.co_filename).name}, line {line},"


def run_command(options: argparse.Namespace) -> int:
    workload = workload_from(options, options.policy)
    trace, fault = serve_workload(options.submission, workload)
    if trace is not None:
        print(f"{options.policy} batching\n\n{trace.table()}\n\n{trace.request_table()}\n")
        print(timeline(trace, symbols(options)))
        print(f"\n{totals(trace)}")
        if options.json is not None:
            try:
                options.json.write_text(trace.to_json() + "\n", encoding="utf-8")
            except OSError as error:
                raise ValueError(f"--json: can't write {options.json}: {error.strerror}") from None
    if fault:
        print(fault, file=sys.stderr)
    return FAULT if fault else OK


def compare_command(options: argparse.Namespace) -> int:
    traces: dict[str, Trace] = {}
    policies: tuple[Policy, Policy] = ("static", "continuous")
    for policy in policies:
        trace, fault = serve_workload(options.submission, workload_from(options, policy))
        if fault or trace is None:
            print(f"{policy} batching: {fault}", file=sys.stderr)
            return FAULT
        traces[policy] = trace
        print(f"{policy} batching\n{timeline(trace, symbols(options))}\n")
    static, continuous = traces["static"], traces["continuous"]
    rows = [
        (request_id, *(outcome(trace, request_id) for trace in (static, continuous))) for request_id in static.requests
    ]
    rows.append(("total ticks", str(static.num_ticks), str(continuous.num_ticks)))
    rows.append(("slots in use", percent(static.slot_utilization), percent(continuous.slot_utilization)))
    if static.kv_utilization is not None:
        rows.append(("KV blocks in use", percent(static.kv_utilization), percent(continuous.kv_utilization)))
    print(format_table(("finished in tick", "static", "continuous"), rows))
    return OK


def symbols(options: argparse.Namespace) -> Symbols:
    return ASCII if options.ascii else symbols_for(sys.stdout)


def outcome(trace: Trace, request_id: str) -> str:
    record = trace.requests[request_id]
    return record.status if record.finish_tick is None else str(record.finish_tick)


def percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def totals(trace: Trace) -> str:
    text = f"{trace.num_ticks} ticks, slots in use {percent(trace.slot_utilization)}"
    if trace.kv_utilization is not None:
        text += f", KV blocks in use {percent(trace.kv_utilization)}"
        text += f", preemptions {trace.num_preemptions}, tokens recomputed {trace.num_recomputed_tokens}"
    if trace.limits is None:
        text += "\nslots and budgets were not checked: the scheduler has no `config`"
    return text + "."
