"""The options that say where the jobs come from."""

import argparse
from pathlib import Path

from batching_lab.commands.usage import UsageError, reading_input
from batching_lab.request import Job, require_distinct_ids
from batching_lab.workloads.job_files import load_jobs
from batching_lab.workloads.jobs import parse_jobs
from batching_lab.workloads.synthetic import WORKLOADS, synthetic_jobs
from batching_lab.workloads.trace_files import is_trace_file, load_trace

JOBS_HELP = f"""\
jobs: ID=[PROMPT+]OUTPUT[/MAX][@ARRIVAL][~ABORT], with commas between them
  A=4        1 prompt token, 4 output tokens       A=6+4@2    arrives at tick 2, runs from 3
  A=6+4      6 prompt tokens, 4 output tokens      A=6+4~5    its client hangs up after tick 5
  A=6+4/9    the same, but max_tokens is 9
or a file:
  FILE.json   {{"jobs": [{{"id": "A", "prompt_len": 6, "output_len": 4}}, ...]}}, where a job may also have
              "max_tokens", "arrival" and "abort_at"
  FILE.csv    an Azure LLM inference trace, 2023 or 2024: TIMESTAMP,ContextTokens,GeneratedTokens;
              or a BurstGPT trace: Timestamp (s),Model,Request tokens,Response tokens,...
  FILE.jsonl  a Mooncake trace: "timestamp" (whole ms), "input_length", "output_length";
              or a Qwen trace: the same with a "chat_id", and "timestamp" in s
In the jobs of a trace max_tokens is the output's true length, and a length of 0 counts as 1.

instead of --jobs, --workload makes jobs up: {", ".join(WORKLOADS)}.

exit status: 0 the run ended well; 1 the submission did something wrong; 2 wrong usage."""


def add_job_options(parser: argparse.ArgumentParser) -> None:
    """The options of `jobs_from`."""
    parser.add_argument("--jobs", help="the jobs, as text or as the name of a file; see below")
    parser.add_argument("--limit", type=int, metavar="N", help="only the first N requests of a trace file")
    parser.add_argument(
        "--tick-seconds",
        type=float,
        metavar="S",
        help="a tick lasts S seconds: requests of a trace file arrive when they did (default: all at the start)",
    )
    parser.add_argument("--workload", metavar="NAME", help="made-up jobs instead of --jobs; see below")
    parser.add_argument("--num-jobs", type=int, metavar="N", help="of the made-up jobs (default: 100)")
    parser.add_argument("--seed", type=int, metavar="N", help="of the made-up jobs (default: 0)")
    parser.add_argument("--divide-by", type=int, metavar="N", help="divide the made-up jobs' lengths (default: 1)")


def jobs_from(options: argparse.Namespace) -> list[Job]:
    """Raises `UsageError` with a sentence that names the option, the file and line, or the job."""
    if (options.jobs is None) == (options.workload is None):
        raise UsageError("the jobs must come from --jobs or from --workload, and not from both")
    for_traces = {"--limit": options.limit, "--tick-seconds": options.tick_seconds}
    for_made_up = {"--num-jobs": options.num_jobs, "--seed": options.seed, "--divide-by": options.divide_by}
    is_trace = options.jobs is not None and is_trace_file(Path(options.jobs))
    if options.jobs is not None:
        refuse_options(for_made_up, "--workload")
    if not is_trace:
        refuse_options(for_traces, "a trace file (--jobs FILE.csv or FILE.jsonl)")
    with reading_input():
        jobs = made_up_jobs(options) if options.jobs is None else given_jobs(options, is_trace)
        require_distinct_ids(jobs)
    return jobs


def made_up_jobs(options: argparse.Namespace) -> list[Job]:
    """The jobs of --workload. Raises `ValueError` as `synthetic_jobs` does."""
    return synthetic_jobs(
        options.workload,
        100 if options.num_jobs is None else options.num_jobs,
        0 if options.seed is None else options.seed,
        1 if options.divide_by is None else options.divide_by,
    )


def given_jobs(options: argparse.Namespace, is_trace: bool) -> list[Job]:
    """The jobs of --jobs. Raises `ValueError` that names the file and line, or the job."""
    if is_trace:
        return load_trace(Path(options.jobs), options.limit, options.tick_seconds)
    return load_jobs(Path(options.jobs)) if options.jobs.endswith(".json") else parse_jobs(options.jobs)


def refuse_options(values: dict[str, int | float | None], place: str) -> None:
    """Raise `UsageError` for the first option that was given."""
    for name, value in values.items():
        if value is not None:
            raise UsageError(f"{name} goes with {place} only")
