"""`python -m batching_lab sweep`: one thing varied, every column checked against numbers worked out by hand."""

from pathlib import Path
from typing import Any

import pytest

from batching_lab.commands.cli import main
from batching_lab.config import SchedulerConfig
from batching_lab.harness import Harness, Policy, Workload
from batching_lab.reports.sweep import kv_waste, measure, varied, wait
from batching_lab.submission.loading import Submission
from batching_lab.trace import Trace, UnitCost
from batching_lab.workloads.command_line import job_text
from batching_lab.workloads.jobs import parse_jobs
from grader.paths import SOLUTION
from grader.proving.helpers import make_submission

SEED = "--jobs A=4,B=1,C=1 --slots 2"
OF_SOLUTION = ("--submission", str(SOLUTION))  # a path may have blanks

A_AND_C = """\
A   policy      ticks  wait  ttft  finish
4   static      5      4     5     5
4   continuous  4      1     2     2
5   static      6      5     6     6
5   continuous  5      1     2     2
20  static      21     20    21    21
20  continuous  20     1     2     2
"""
EQUAL = """\
slots  policy      ticks  slots-in-use
1      static      16     100%
1      continuous  16     100%
2      static      8      100%
2      continuous  8      100%
4      static      4      100%
4      continuous  4      100%
"""
SLOTS = """\
slots  policy      ticks  slots-in-use  ttft-mean  ttft-max
1      static      12     100%          7.25       12
1      continuous  12     100%          7.25       12
2      static      9      67%           4.00       7
2      continuous  6      100%          2.75       6
4      static      6      50%           1.00       1
4      continuous  6      50%           1.00       1
"""
# A tick costs 10 and 1 more for each token. A and B decode: 2 tokens a tick. C's prompt of 64 comes in pieces of 4: 16
# ticks of 10 + 2 + 4 = 16 units; of 32: 2 ticks of 44; all at once: 76. The cost of all 40 ticks is the same.
CHUNKS = """\
chunk-size  policy      ticks  ttft  longest-gap  units   ttft-units  longest-gap-units
4           continuous  40     16    1            547.00  256.00      16.00
32          continuous  40     2     1            547.00  88.00       44.00
none        continuous  40     1     1            547.00  76.00       76.00
"""
POOL = """\
blocks  kv-policy            policy      ticks  refused  ttft-max  longest-gap  preemptions  recomputed
2       guaranteed_no_evict  continuous  0      2        -         -            0            0
2       max_utilization      continuous  0      2        -         -            0            0
3       guaranteed_no_evict  continuous  12     0        7         1            0            0
3       max_utilization      continuous  12     0        7         1            0            0
4       guaranteed_no_evict  continuous  12     0        7         1            0            0
4       max_utilization      continuous  9      0        1         4            1            8
6       guaranteed_no_evict  continuous  6      0        1         1            0            0
6       max_utilization      continuous  6      0        1         1            0            0
"""
# 7 ticks hold 1 to 7 tokens: 28. Blocks of 1: 28 slots; of 2: 2 + 2 + 4 + 4 + 6 + 6 + 8 = 32; of 4: 4 * 4 + 3 * 8 = 40;
# of 8: 7 * 8 = 56.
WASTE = """\
block-size  policy      kv-in-use  kv-waste
1           continuous  25%        0%
2           continuous  29%        12%
4           continuous  36%        30%
8           continuous  50%        50%
"""
BUDGETS = """\
token-budget  policy      ticks  ttft-max
4             continuous  4      4
6             continuous  3      3
none          continuous  2      1
"""


@pytest.mark.parametrize(
    ("options", "table"),
    [
        (f"{SEED} --vary A=4,5,20 --watch C --columns ticks,wait,ttft,finish", A_AND_C),
        ("--jobs A=4,B=4,C=4,D=4 --vary slots=1,2,4 --columns ticks,slots-in-use", EQUAL),
        ("--jobs A=6,B=2,C=3,D=1 --vary slots=1,2,4 --columns ticks,slots-in-use,ttft-mean,ttft-max", SLOTS),
        (
            "--jobs A=1+40,B=1+40,C=64+4@5 --slots 3 --policy continuous --chunked-prefill --vary chunk-size=4,32,none "
            "--unit-cost 10,1,0 --watch C --columns ticks,ttft,longest-gap,units,ttft-units,longest-gap-units",
            CHUNKS,
        ),
        (
            "--jobs A=6+6,B=6+6 --policy continuous --blocks 1 --block-size 4 --vary blocks=2..4,6 "
            "--vary kv-policy=guaranteed_no_evict,max_utilization "
            "--columns ticks,refused,ttft-max,longest-gap,preemptions,recomputed",
            POOL,
        ),
        (
            "--jobs A=1+7 --policy continuous --blocks 16 --block-size 1 --vary block-size=1,2,4,8 "
            "--columns kv-in-use,kv-waste",
            WASTE,
        ),
        (
            "--jobs A=4+2,B=4+1,C=4+1 --slots 3 --policy continuous --vary token-budget=4,6,none "
            "--columns ticks,ttft-max",
            BUDGETS,
        ),
    ],
)
def test_the_experiments(options: str, table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", *options.split(), "--submission", str(SOLUTION)]) == 0
    assert capsys.readouterr().out == table


@pytest.mark.parametrize("block_size", ["", "--block-size 4"])
def test_varied_blocks_need_no_pool_before(block_size: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --blocks the pool that --vary blocks makes has blocks of --block-size tokens, which is 16 by default."""
    options = f"--jobs A=6+20,B=6+20 --policy continuous --vary blocks=2..8 {block_size}"
    assert main(["sweep", *options.split(), *OF_SOLUTION]) == 0
    printed = capsys.readouterr().out
    options += f" --blocks 1 --block-size {block_size[-1:] or '16'}"
    assert main(["sweep", *options.split(), *OF_SOLUTION]) == 0
    assert printed == capsys.readouterr().out
    assert ("refused" in printed) and len(set(printed.splitlines()[1:])) == 7


def test_all_of_4_to_20(capsys: pytest.CaptureFixture[str]) -> None:
    options = f"{SEED} --vary A=4..20 --watch C --columns wait"
    assert main(["sweep", *options.split(), *OF_SOLUTION]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert lines == [
        [str(a), policy, str(a if policy == "static" else 1)]
        for a in range(4, 21)
        for policy in ("static", "continuous")
    ]


@pytest.mark.parametrize(
    ("more", "columns"),
    [
        ("", "ticks,refused,slots-in-use,ttft-mean,ttft-max,longest-gap"),
        ("--watch C", "ticks,refused,slots-in-use,wait,ttft,finish,ttft-mean,ttft-max,longest-gap"),
        (
            "--blocks 9",
            "ticks,refused,slots-in-use,ttft-mean,ttft-max,longest-gap,kv-in-use,kv-waste,preemptions,recomputed",
        ),
        (
            "--watch C --unit-cost 1,0,0",
            "ticks,refused,slots-in-use,wait,ttft,finish,ttft-mean,ttft-max,longest-gap,"
            "units,ttft-units,ttft-mean-units,ttft-max-units,longest-gap-units",
        ),
    ],
)
def test_columns_that_have_a_meaning(more: str, columns: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = f"{SEED} --vary A=4 {more}"
    assert main(["sweep", *options.split(), *OF_SOLUTION]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["A", "policy", *columns.split(",")]


def test_csv(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    options = f"{SEED} --vary A=4 --watch C --unit-cost 1,0.1,0 --columns slots-in-use,finish,ttft-mean,units"
    assert main(["sweep", *options.split(), "--csv", str(path), "--submission", str(SOLUTION)]) == 0
    assert path.read_bytes() == (
        b"A,policy,slots-in-use,finish,ttft-mean,units\n4,static,0.6,5,2.333333,5.6\n4,continuous,0.75,2,1.333333,4.6\n"
    )
    assert capsys.readouterr().out.splitlines()[1].split() == ["4", "static", "60%", "5", "2.33", "5.60"]


def test_csv_of_what_there_is_not(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    options = "--jobs A=6+6 --policy static --blocks 1 --block-size 4 --vary slots=1 --watch A"
    columns = "ticks,refused,slots-in-use,wait,ttft,finish,ttft-mean,longest-gap,kv-waste"
    assert (
        main(["sweep", *options.split(), "--columns", columns, "--csv", str(path), "--submission", str(SOLUTION)]) == 0
    )
    assert path.read_bytes() == f"slots,policy,{columns}\n1,static,0,1,,,,refused,,,\n".encode()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--vary A", "--vary: can't read 'A': it must look like A=4..20 or slots=1,2,4"),
        ("--vary A=", "--vary: can't read 'A=': it must look like A=4..20 or slots=1,2,4"),
        ("--vary A=x", "--vary A: can't read 'x': it must look like 5..20"),
        ("--vary A=1,,2", "--vary A: can't read '': it must look like 5..20"),
        ("--vary A=none", "--vary A: can't read 'none': it must look like 5..20"),
        ("--vary A=9..4", "--vary A: 9..4 is empty: 9 is more than 4"),
        ("--vary A=0", "--vary A=0: A must be an integer of at least 1, not 0"),
        (
            "--vary D=1",
            "--vary D=1: there is no job D, and it is none of slots, token-budget, chunk-size, kv-policy, blocks, "
            "block-size",
        ),
        ("--vary slots=0", "--vary slots=0: max_num_seqs must be an integer of at least 1, not 0"),
        ("--vary blocks=0", "--vary blocks=0: blocks must be an integer of at least 1, not 0"),
        ("--vary chunk-size=4", "--vary chunk-size=4: chunk-size changes nothing without --chunked-prefill"),
        ("--vary block-size=4", "--vary block-size=4: block-size changes nothing without --blocks"),
        (
            "--vary block-size=64 --blocks 2",
            "--vary block-size=64: a pool of 32 tokens has no block of 64",
        ),
        (
            "--vary kv-policy=best --blocks 2",
            "--vary kv-policy=best: kv_policy must be one of guaranteed_no_evict, max_utilization, not 'best'",
        ),
        ("--vary A=1..1001", "--vary: these are more than 1000 runs"),
        ("--vary A=1..100 --vary B=1..100", "--vary: these are more than 1000 runs"),
        ("--vary A=1..999999999999999999999", "--vary: these are more than 1000 runs"),
        ("--vary A=4 --watch D", "--watch: there is no job D"),
        ("--vary A=4 --unit-cost 1,2", "--unit-cost: can't read '1,2': it must be three numbers, like 10,1,0.01"),
        ("--vary A=4 --unit-cost 1,2,x", "--unit-cost: can't read '1,2,x': it must be three numbers, like 10,1,0.01"),
        ("--vary A=4 --unit-cost 1,0,-1", "--unit-cost: 1,0,-1: the numbers must be at least 0, and one of them more"),
        ("--vary A=4 --unit-cost 0,0,0", "--unit-cost: 0,0,0: the numbers must be at least 0, and one of them more"),
        (
            "--vary A=4 --unit-cost nan,0,1",
            "--unit-cost: nan,0,1: the numbers must be at least 0, and one of them more",
        ),
        (
            "--vary A=4 --columns ticks,wait",
            "--columns: there is no column 'wait' here, but there are ticks, refused, slots-in-use, ttft-mean, "
            "ttft-max, longest-gap; --watch, --blocks and --unit-cost add more",
        ),
        ("--vary A=4 --csv nowhere/x.csv", "--csv: can't write nowhere/x.csv: No such file or directory"),
    ],
)
def test_wrong_usage_is_one_sentence(options: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", *SEED.split(), *options.split(), "--submission", str(SOLUTION)]) == 2
    printed = capsys.readouterr()
    assert printed.err == f"batching_lab: {sentence}\n" and printed.out == ""


def test_a_fault_names_its_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old = "return Schedule(self.scheduled, tuple(preempted))"
    raising = [("scheduler.py", old, f"assert len(self.running) < 2\n        {old}")]
    folder = make_submission(tmp_path / "raising", raising)
    assert main(["sweep", *SEED.split(), "--vary", "slots=1,2", "--submission", str(folder)]) == 1
    assert capsys.readouterr().err.startswith("slots=2, continuous batching: Your code raised AssertionError")


def serve(policy: Policy, jobs: str, **limits: Any) -> Trace:
    return Harness(Submission(SOLUTION)).run(policy, jobs, **limits)


def test_units_by_hand() -> None:
    """Ticks cost 2 + m + (c + m) / 2: A's prompt of 3: 6.5; A and B of 2: 2 + 3 + (4 + 2) / 2 = 8; then 7 and 6."""
    trace = serve("continuous", "A=3+3,B=2+3@1", max_num_seqs=2)
    cost = UnitCost(2, 1, 0.5)
    assert trace.tick_costs(cost) == [6.5, 8.0, 2 + 2 + 4.0, 2 + 1 + 2.0]
    measures = measure(trace, "B", cost)
    assert measures["units"] == 27.5
    assert measures["ttft-units"] == 8.0  # it arrived when tick 1 was over
    assert measures["ttft-mean-units"] == 7.25 and measures["ttft-max-units"] == 8.0
    assert measures["longest-gap-units"] == 8.0  # A's, over tick 2


def test_wait_is_time_in_the_queue() -> None:
    trace = serve("static", "A=4,B=1@1,C=1@2", max_num_seqs=1)
    assert [wait(trace, name) for name in "ABC"] == [0, 3, 3]
    trace = serve("continuous", "A=4,B=1@1~2", max_num_seqs=1)
    assert wait(trace, "B") is None and measure(trace, "B")["finish"] == "aborted"


def test_waste_knows_preempted_and_aborted_requests() -> None:
    """Blocks of 4. A and B hold 6 and 6, then 7, 8: 12 + 14 + 16 of 16; B is evicted, and A holds 9 to 11 of 12."""
    trace = serve(
        "continuous", "A=6+6,B=6+6~3", num_blocks=4, block_size=4, max_num_seqs=2, kv_policy="max_utilization"
    )
    filled = [12, 14, 16, 9, 10, 11]
    assert [tick.blocks_used for tick in trace.ticks] == [4, 4, 4, 3, 3, 3]
    assert kv_waste(trace) == pytest.approx(1 - sum(filled) / (3 * 16 + 3 * 12))
    trace = serve("continuous", "A=6+6,B=6+6", num_blocks=4, block_size=4, max_num_seqs=2, kv_policy="max_utilization")
    filled = [12, 14, 16, 9, 10, 11, 9, 10, 11]
    assert kv_waste(trace) == pytest.approx(1 - sum(filled) / (3 * 16 + 6 * 12))


@pytest.mark.parametrize("block_size", [2, 4, 8, 16])
def test_waste_of_many_sequences_is_half_a_block_each(block_size: int) -> None:
    """(b - 1) / 2 slots a sequence, exactly, for one that grows through whole blocks."""
    trace = serve("continuous", "A=1+64", num_blocks=64, block_size=block_size, max_num_seqs=1)
    num_held = sum(tick.blocks_used for tick in trace.ticks) * block_size
    waste = kv_waste(trace)
    assert waste is not None and waste * num_held / trace.num_ticks == pytest.approx((block_size - 1) / 2)


def test_varied_changes_one_thing() -> None:
    workload = Workload("continuous", parse_jobs("A=3+4,B=5+2/6@1~9"), SchedulerConfig(2), 12, 4)
    assert list(map(job_text, varied(workload, "A", 7).jobs)) == ["A=3+7", "B=5+2/6@1~9"]
    assert list(map(job_text, varied(workload, "B", 6).jobs)) == ["A=3+4", "B=5+6/6@1~9"]
    with pytest.raises(ValueError, match="job B: output_len 7 is more than max_tokens 6"):
        varied(workload, "B", 7)
    assert varied(workload, "slots", 3).config == SchedulerConfig(3)
    assert varied(workload, "token-budget", 9).config == SchedulerConfig(2, 9)
    changed = varied(workload, "block-size", 5)
    assert (changed.num_blocks, changed.block_size) == (9, 5)  # 48 tokens
