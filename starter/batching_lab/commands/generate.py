"""`python -m batching_lab generate`: a submission serves a real language model, and the texts stream out."""

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from batching_lab.commands import common
from batching_lab.commands.live_view import Texts, printable, view_for
from batching_lab.commands.model_options import MODEL_HELP, add_model_options, described, load_from, reference_for
from batching_lab.harness import Workload
from batching_lab.request import Job, Request
from batching_lab.tables import PERCENTILES, format_table
from batching_lab.timing.stopwatch import Progress, Stopwatch, TickState
from batching_lab.trace import Trace
from batching_lab.workloads.pool import blocks_for_all_slots, most_blocks

if TYPE_CHECKING:
    from batching_lab.model.executor import ModelExecutor, TickJudge
    from batching_lab.model.judging.consequences import Consequence
    from batching_lab.model.judging.shadow import KVFault
    from batching_lab.model.loading.load import LoadedModel

PROMPTS = (  # beginnings that the micro model knows how to go on with
    "Today the kitchen has to feed",
    "The night train to Lisbon leaves at",
    "The library in Ghent owns",
    "There are seven berths in the harbour,",
    "Last night the wind broke",
    "The scheduler looks at the queue and",
    "At noon a user in Porto asks for",
    "On the top shelf stands",
)

FAULTS = ("double-allocation", "swapped-blocks", "stale-block", "lost-slot")
MAX_FAULTS = 6  # sentences of the shadow KV that are printed

EXAMPLES = """\
Without a prompt it takes eight of its own, made for the micro model. On a terminal all texts grow at once; in a pipe
one line is printed when a request finishes: its name, the tick, the prompt, | and the text.
Ctrl-C ends the run; what is finished by then is printed.

faults: --fault plants one between the submission and the model, then says how the shadow KV names it, and what it did
to logits and texts:
  double-allocation  the block that a request is given belongs to another one already
  swapped-blocks     two blocks of a table change places
  stale-block        the first block of a table becomes one that nobody holds
  lost-slot          a table lacks its last block for one tick

exit status: 0 the run ended well; 1 the submission did something wrong; 2 wrong usage; 130 interrupted.

examples:
  python -m batching_lab generate
  python -m batching_lab generate "In May Tom" "Every Monday" --max-tokens 60 --slots 1 --policy static
  python -m batching_lab generate --slots 4 --chunked-prefill --token-budget 16 --block-size 4 --max-tokens 20 --check
  python -m batching_lab generate --fault double-allocation --max-tokens 60"""


def add_to(commands: common.Commands) -> None:
    """Add the command and its options."""
    what = "let your scheduler serve a real language model"
    parser = common.add_command(commands, "generate", generate, what, f"{MODEL_HELP}\n\n{EXAMPLES}")
    parser.add_argument("prompts", nargs="*", metavar="PROMPT", help="beginnings of texts")
    parser.add_argument("--prompts", dest="file", type=Path, metavar="FILE", help="prompts from a file, one a line")
    parser.add_argument("--max-tokens", type=int, default=200, metavar="N", help="of each text (default: 200)")
    common.add_submission_option(parser)
    parser.add_argument("--policy", choices=("static", "continuous"), default="continuous", help="default: continuous")
    add_model_options(parser)
    common.add_limit_options(parser, num_slots=8, blocks="enough for all slots")
    parser.add_argument(
        "--check", action="store_true", help="judge every tick with the shadow KV and a plain forward pass: slow"
    )
    parser.add_argument("--fault", choices=FAULTS, metavar="FAULT", help="plant a fault, see below")
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="after a broken rule go on, and say at the end what it did to logits and texts",
    )
    parser.add_argument(
        "--tick-rate", type=float, metavar="N", help="at most N ticks a second, to watch; the pauses are not counted"
    )
    parser.add_argument("--plain", action="store_true", help="print lines on a terminal, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write texts, times and ticks there, as JSON")


def generate(options: argparse.Namespace) -> int:
    """Carry out the command; returns the exit status."""
    prompts = prompts_from(options)
    goes_on = options.fault is not None or options.keep_going
    if goes_on and options.check:
        raise common.UsageError(
            "--check stops at the first fault; it can't go with --fault or --keep-going, which go on"
        )
    if goes_on and options.dtype != "float32":
        raise common.UsageError("--fault and --keep-going compare logits exactly: they need --dtype float32")
    config = common.config_from(options)
    lab = common.harness_from(options)
    loaded = load_from(options)
    jobs = jobs_for(prompts, options.max_tokens, loaded)
    workload = Workload(options.policy, jobs, config, pool_for(jobs, options), options.block_size)
    executor = executor_for(options, loaded, workload)

    texts = Texts(prompts, jobs, loaded.tokenizer)
    from batching_lab.model.end_tokens import OneEndToken

    end_token_ids = loaded.tokenizer.end_token_ids
    watch = Stopwatch(executor, jobs, end_token_ids=end_token_ids)
    view = view_for(watch, texts, executor.cache.num_blocks, options.plain)

    def on_tick(state: TickState) -> None:
        view.show(state)
        if options.tick_rate is not None:
            watch.pause(1 / options.tick_rate)

    watch.on_tick = on_tick
    print(f"{options.policy} batching, {described(options)}\n", flush=True)
    trace: Trace | None = None
    fault, interrupted = "", False
    with view:
        try:
            server = OneEndToken(watch, end_token_ids)
            trace, fault = common.serve_workload(lab, workload, server, "record" if goes_on else "raise")
        except KeyboardInterrupt:
            interrupted = True
    if trace is not None and trace.violation is not None and not fault:
        fault = str(trace.violation)
    if watch.tick:
        print(f"\n{summary(watch, trace)}", flush=True)
    judgement = None
    if goes_on and trace is not None:
        if not fault:
            require_planted(executor)
        judgement = judge(executor, jobs, end_token_ids)
        print(f"\n{judgement_text(judgement, executor, watch, texts)}", flush=True)
    if options.json is not None:
        data = as_json(options, watch, texts, trace, judgement)
        data |= {"interrupted": interrupted, "violation": fault or None}
        common.write_text("--json", options.json, json.dumps(data, indent=1) + "\n")
    if interrupted:
        print(f"batching_lab: interrupted in tick {watch.tick + 1}", file=sys.stderr)
        return common.INTERRUPTED
    if fault:
        print(fault, file=sys.stderr)
    return common.FAULT if fault else common.OK


# -- what is to be served


def prompts_from(options: argparse.Namespace) -> list[str]:
    """Raises `UsageError` with a sentence that names the option or the file."""
    common.require_positive(options, "max_tokens")
    if options.tick_rate is not None and not 0 < options.tick_rate < inf:
        raise common.UsageError(f"--tick-rate must be more than 0, not {options.tick_rate:g}")
    if options.file is None:
        return options.prompts or list(PROMPTS)
    if options.prompts:
        raise common.UsageError("the prompts must come from the command line or from --prompts, and not from both")
    try:
        lines = options.file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise common.UsageError(f"--prompts: can't read {options.file}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise common.UsageError(f"--prompts: {options.file} is not UTF-8 text, at byte {error.start}") from None
    prompts = [line for line in lines if line.strip()]
    if not prompts:
        raise common.UsageError(f"--prompts: {options.file} holds no prompt")
    return prompts


def jobs_for(prompts: list[str], max_tokens: int, loaded: "LoadedModel") -> list[Job]:
    """One job a prompt, named r1, r2, ... in their order. Raises `ModelError` for a prompt that has no tokens."""
    tokenizer = loaded.tokenizer
    return [
        Job(Request(f"r{number}", tokenizer.encode(prompt), max_tokens, tokenizer.eos_token_id))
        for number, prompt in enumerate(prompts, start=1)
    ]


def pool_for(jobs: list[Job], options: argparse.Namespace) -> int:
    """The blocks of the pool. Raises `UsageError` if there are too few for a request alone."""
    if options.blocks is None:
        return blocks_for_all_slots(jobs, options.slots, options.block_size)
    for job in jobs:
        num_blocks = most_blocks(job, options.block_size)
        if num_blocks > options.blocks:
            raise common.UsageError(
                f"--blocks {options.blocks} is too small: {job.request.request_id} with its "
                f"{len(job.request.prompt_token_ids)} prompt tokens and max_tokens {job.request.max_tokens} may need "
                f"{num_blocks} blocks of {options.block_size} tokens"
            )
    return int(options.blocks)


def executor_for(options: argparse.Namespace, loaded: "LoadedModel", workload: Workload) -> "ModelExecutor":
    """With a planted fault, with its logits kept, or judged in every tick, as the options say."""
    from batching_lab.model.executor import ModelExecutor
    from batching_lab.model.judging.consequences import FaultyLogitKeeper, LogitKeeper

    assert workload.pool is not None
    what = (loaded.llama, workload.jobs, *workload.pool)
    if options.fault is not None:
        return FaultyLogitKeeper(*what, fixed_lengths=False, log=True, fault=options.fault)
    if options.keep_going:
        return LogitKeeper(*what, fixed_lengths=False, log=True)
    executor = ModelExecutor(*what, fixed_lengths=False)
    if options.check:
        executor.judges = judges_for(options, loaded, workload)
    return executor


def judges_for(options: argparse.Namespace, loaded: "LoadedModel", workload: Workload) -> "tuple[TickJudge, ...]":
    """Those of --check: what each block holds, then the logit of each sampled token."""
    from batching_lab.model.judging.logits import LogitCheck
    from batching_lab.model.judging.shadow import ShadowKV

    assert workload.pool is not None
    shadow = ShadowKV(*workload.pool, workload.jobs)
    return shadow, LogitCheck(reference_for(options, loaded.llama), workload.jobs, fixed_lengths=False)


# -- what came of it


def summary(watch: Stopwatch, trace: Trace | None) -> str:
    """Percentiles, totals, and who was refused or did not finish."""
    rows = [
        (name, *(f"{value:.1f}" for value in in_ms), "", *map(str, in_ticks))
        for name, (in_ms, in_ticks) in watch.percentiles().items()
    ]
    heading = ("", *(f"p{p} ms" for p in PERCENTILES), "|", *(f"p{p} ticks" for p in PERCENTILES))
    lines = [format_table(heading, rows), ""] if rows else []
    left = [name for name, progress in watch.requests.items() if not progress.is_finished]
    refused = trace.refused if trace is not None else []
    unfinished = [name for name in left if name not in refused]
    text = (
        f"{len(watch.finished)} of {len(watch.requests)} requests finished, {watch.num_output_tokens} output tokens "
        f"in {watch.tick} ticks and {watch.seconds:.2f} s: {watch.tokens_per_second:.0f} tokens/s. "
        "Times hold for this machine only."
    )
    lines.append(text)
    if refused:
        lines.append(f"Refused at the door: {', '.join(refused)}.")
    if unfinished:
        lines.append(f"Not finished: {', '.join(unfinished)}.")
    return "\n".join(lines)


@dataclass(frozen=True)
class Judgement:
    """What the shadow KV found in a run, and what the run was beside the model alone."""

    kv_faults: "list[KVFault]"
    consequences: "list[Consequence]"


def require_planted(executor: "ModelExecutor") -> None:
    """Raise `UsageError` if a fault was to be planted and the run gave no occasion."""
    from batching_lab.model.judging.faults import FaultyExecutor

    if isinstance(executor, FaultyExecutor) and executor.victim is None:
        raise common.UsageError(
            "the fault was never planted: that takes a request that decodes into its third block (smaller "
            "--block-size, larger --max-tokens) and, for stale-block, a free block (larger --blocks)"
        )


def judge(executor: "ModelExecutor", jobs: list[Job], end_token_ids: tuple[int, ...]) -> Judgement:
    """What was wrong in a run that is over, and what that did to its texts."""
    from batching_lab.model.judging.consequences import LogitKeeper, consequences
    from batching_lab.model.judging.shadow import find_kv_faults

    assert isinstance(executor, LogitKeeper) and executor.log is not None
    return Judgement(find_kv_faults(executor.log, jobs), consequences(executor, jobs, end_token_ids))


def judgement_text(judgement: Judgement, executor: "ModelExecutor", watch: Stopwatch, texts: Texts) -> str:
    """A judgement for people to read."""
    from batching_lab.model.judging.faults import FAULTS, FaultyExecutor

    lines = []
    if isinstance(executor, FaultyExecutor) and executor.victim is not None:
        beside = f" and {executor.other}'s" if executor.other is not None else ""
        lines.append(f"Fault planted in tick {executor.planted_in}: {executor.fault}, {FAULTS[executor.fault]}.")
        lines.append(f"It is {executor.victim}'s table{beside}.")
    lines.append("The shadow KV finds nothing wrong." if not judgement.kv_faults else "The shadow KV:")
    lines += [f"  tick {fault.tick}: {fault.what}" for fault in judgement.kv_faults[:MAX_FAULTS]]
    if len(judgement.kv_faults) > MAX_FAULTS:
        lines.append(f"  (and {len(judgement.kv_faults) - MAX_FAULTS} more)")
    rows = [
        (c.request_id, f"{c.largest_change:.3f}", "the same" if c.right is None else "changed")
        for c in judgement.consequences
    ]
    lines += ["", "Beside the model alone, one request at a time and without blocks:"]
    lines.append(format_table(("request", "largest change of a logit", "text"), rows))
    for c in judgement.consequences:
        if c.right is not None:
            lines += ["", f"{c.request_id} alone: {printable(texts.decode(c.right))}"]
            lines.append(f"{c.request_id} here:  {printable(texts.decode(c.token_ids))}")
    return "\n".join(lines)


def as_json(
    options: argparse.Namespace, watch: Stopwatch, texts: Texts, trace: Trace | None, judgement: Judgement | None
) -> dict[str, Any]:
    """What --json writes: settings, totals, each request's text and the times of its tokens."""
    data: dict[str, Any] = {
        "schema": "batching-lab/generate/v1",
        "policy": options.policy,
        "model": options.model,
        "device": options.device,
        "dtype": options.dtype,
        "ticks": watch.tick,
        "seconds": watch.seconds,
        "output_tokens": watch.num_output_tokens,
        "tokens_per_second": watch.tokens_per_second,
        "percentiles": {
            name: {"shares": PERCENTILES, "ms": in_ms, "ticks": in_ticks}
            for name, (in_ms, in_ticks) in watch.percentiles().items()
        },
        "requests": [
            {
                "request_id": name,
                "prompt": texts.prompts[name],
                "text": texts.decode(progress.token_ids),
                "status": status_of(progress, trace),
                "num_prompt_tokens": len(progress.job.request.prompt_token_ids),
                "token_ids": progress.token_ids,
                "token_ms": [1000 * moment for moment in progress.token_seconds],
                "token_ticks": progress.ticks,
            }
            for name, progress in watch.requests.items()
        ],
    }
    if judgement is not None:
        data["kv_faults"] = [asdict(fault) | {"what": fault.what} for fault in judgement.kv_faults]
        data["beside_the_model_alone"] = [
            {
                "request_id": c.request_id,
                "largest_logit_change": c.largest_change,
                "text_changed": c.right is not None,
                "right_text": None if c.right is None else texts.decode(c.right),
            }
            for c in judgement.consequences
        ]
    return data


def status_of(progress: Progress, trace: Trace | None) -> str:
    """Finished, refused or unfinished."""
    if progress.is_finished:
        return "finished"
    return "refused" if trace is not None and progress.request_id in trace.refused else "unfinished"
