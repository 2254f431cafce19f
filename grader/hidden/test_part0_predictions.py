"""Hidden tests of Part 0: the predictions, worked out here by simulation or from the definitions."""

from typing import Literal

from batching_lab import SchedulerConfig, decode_only, parse_jobs
from batching_lab.harness import Harness, require
from batching_lab.submission.answers import form_fault
from grader.hidden.oracle import Expected, expected_run

FOUR_JOBS = [("A", 6), ("B", 2), ("C", 3), ("D", 1)]


def decode_run(policy: Literal["static", "continuous"], lengths: list[tuple[str, int]], slots: int) -> Expected:
    return expected_run(policy, decode_only(lengths), SchedulerConfig(slots))


def check_answer(lab: Harness, name: str, right: int) -> None:
    answers = lab.answers()
    # What reaches us of an answer that is no number is no longer that answer.
    fault = form_fault(answers, name, tell_answer=False)
    require(not fault, fault)
    require(answers[name] == right, f"{name} is another number")


def test_static_d_finish(lab: Harness) -> None:
    """Static batching: when the last of four jobs finishes."""
    check_answer(lab, "static_d_finish", decode_run("static", FOUR_JOBS, 2).finish_ticks["D"])


def test_continuous_d_finish(lab: Harness) -> None:
    """Continuous batching: when the last of four jobs finishes."""
    check_answer(lab, "continuous_d_finish", decode_run("continuous", FOUR_JOBS, 2).finish_ticks["D"])


def test_static_empty_slot_ticks(lab: Harness) -> None:
    """Static batching: how often a slot stands empty."""
    run = decode_run("static", FOUR_JOBS, 2)
    check_answer(lab, "static_empty_slot_ticks", sum(2 - len(tick.num_scheduled_tokens) for tick in run.ticks))


def test_equal_lengths_gain(lab: Harness) -> None:
    """What continuous batching gains when all jobs have the same length."""
    jobs = [(name, 5) for name in "ABCDEFGHI"]
    gain = len(decode_run("static", jobs, 3).ticks) - len(decode_run("continuous", jobs, 3).ticks)
    check_answer(lab, "equal_lengths_gain", gain)


def test_c_finishes_earlier(lab: Harness) -> None:
    """What continuous batching gains for a short job behind a long one."""
    jobs = [("A", 30), ("B", 1), ("C", 1)]
    gain = decode_run("static", jobs, 2).finish_ticks["C"] - decode_run("continuous", jobs, 2).finish_ticks["C"]
    check_answer(lab, "c_finishes_earlier", gain)


def test_blocks_at_the_end(lab: Harness) -> None:
    """How many KV blocks a request holds in its last tick."""
    run = expected_run("continuous", parse_jobs("A=21+12"), SchedulerConfig(1), num_blocks=8, block_size=8)
    check_answer(lab, "blocks_at_the_end", run.ticks[-1].blocks_used)


def test_first_token_alone(lab: Harness) -> None:
    """How long a chunked prompt occupies the token budget."""
    config = SchedulerConfig(1, max_num_batched_tokens=16, enable_chunked_prefill=True)
    check_answer(
        lab, "first_token_alone", expected_run("continuous", parse_jobs("A=50+1"), config).first_token_ticks["A"]
    )


def test_first_token_beside_decodes(lab: Harness) -> None:
    """How long a chunked prompt takes beside running decodes."""
    config = SchedulerConfig(7, max_num_batched_tokens=16, enable_chunked_prefill=True)
    decodes = ",".join(f"r{number}=20" for number in range(6))
    run = expected_run("continuous", parse_jobs(f"{decodes},A=50+1@1"), config)  # admitted in tick 2
    check_answer(lab, "first_token_beside_decodes", run.first_token_ticks["A"] - 1)


def test_running_by_worst_case(lab: Harness) -> None:
    """How many sequences run at once when only worst cases count."""
    jobs = parse_jobs(",".join(f"r{number}=5+8" for number in range(9)))
    run = expected_run("continuous", jobs, SchedulerConfig(9), num_blocks=12, block_size=4)
    check_answer(lab, "running_by_worst_case", max(tick.num_running for tick in run.ticks))


def test_recomputed_tokens(lab: Harness) -> None:
    """What a preempted sequence computes when it is admitted again."""
    check_answer(lab, "recomputed_tokens", 9 + 5)
