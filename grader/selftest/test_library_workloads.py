"""Made-up workloads, trace files, and what the command line makes of them."""

import io
import json
import statistics
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from batching_lab.commands.cli import main
from batching_lab.commands.progress import MIN_JOBS
from batching_lab.request import Job
from batching_lab.tables import percentiles
from batching_lab.workloads.command_line import job_text
from batching_lab.workloads.jobs import decode_only, make_job
from batching_lab.workloads.synthetic import WORKLOADS, synthetic_jobs
from batching_lab.workloads.trace_files import load_trace
from grader.paths import ROOT, SOLUTION

DATA = ROOT.resolve().parent / "shared" / "data"
CODE, CONVERSATION, MOONCAKE = (
    "AzureLLMInferenceTrace_code.csv",
    "AzureLLMInferenceTrace_conv.csv",
    "mooncake_synthetic_trace.jsonl",
)
HEADING = "TIMESTAMP,ContextTokens,GeneratedTokens\n"


def lengths(jobs: list[Job]) -> tuple[list[int], list[int]]:
    return [len(job.request.prompt_token_ids) for job in jobs], [job.num_output_tokens for job in jobs]


def text(jobs: list[Job]) -> str:
    return " ".join(map(job_text, jobs))


# -- made-up workloads

LONG_SHORT = "r1=16+10 r2=64+71 r3=16+8 r4=9+7"
BURSTY = "r1=45+21 r2=16+15 r3=46+19 r4=48+22 r5=12+23 r6=8+19 r7=24+21"
CONVERSATION_JOBS = "r1=272+414 r2=1331+86 r3=1009+120"
CONVERSATION_DIVIDED = "r1=3+5 r2=14+1 r3=11+2"


def test_a_seed_gives_the_same_jobs_on_every_machine() -> None:
    assert text(synthetic_jobs("long-short", 4, seed=0)) == LONG_SHORT
    assert text(synthetic_jobs("bursty", 7, seed=3)) == BURSTY
    assert text(synthetic_jobs("azure-conversation", 3, seed=1)) == CONVERSATION_JOBS
    assert text(synthetic_jobs("azure-conversation", 3, seed=1, divide_by=100)) == CONVERSATION_DIVIDED
    for name in WORKLOADS:
        assert text(synthetic_jobs(name, 30, seed=1)) == text(synthetic_jobs(name, 30, seed=1))
        assert text(synthetic_jobs(name, 30, seed=1)) != text(synthetic_jobs(name, 30, seed=2))


@pytest.mark.parametrize(
    ("name", "prompt", "output"),
    [  # mean, median, p99 as published
        ("azure-code", (2048, 1469, 7436), (28, 13, 251)),
        ("azure-conversation", (1155, 1020, 4142), (211, 129, 601)),
        ("mooncake", (12035, 6909, 85400), (343, 350, 1119)),
    ],
)
def test_lengths_are_shaped_like_the_traces(
    name: str, prompt: tuple[int, int, int], output: tuple[int, int, int]
) -> None:
    """Mean and median within 7 %, p99 within 25 % (of 20,000 requests, only 200 lie beyond it)."""
    prompts, outputs, _ = zip(*WORKLOADS[name](20_000, Random(0)), strict=True)
    for values, (mean, median, p99) in ((prompts, prompt), (outputs, output)):
        assert statistics.mean(values) == pytest.approx(mean, rel=0.07)
        assert statistics.median(values) == pytest.approx(median, rel=0.07)
        assert percentiles(values, [99])[0] == pytest.approx(p99, rel=0.25)


def test_bursts_come_at_once_and_apart() -> None:
    jobs = synthetic_jobs("bursty", 400, seed=5)
    sizes: dict[int, int] = {}
    for job in jobs:
        sizes[job.arrival] = sizes.get(job.arrival, 0) + 1
    arrivals = sorted(sizes)
    assert len(jobs) == 400 and arrivals[0] == 0
    assert {4 <= sizes[arrival] <= 12 for arrival in arrivals[:-1]} == {True}
    assert {20 <= later - earlier <= 60 for earlier, later in pairwise(arrivals)} == {True}


def test_a_quarter_of_the_mix_is_long() -> None:
    _, outputs = lengths(synthetic_jobs("long-short", 10_000))
    assert {4 <= n <= 12 or 40 <= n <= 80 for n in outputs} == {True}
    assert sum(n >= 40 for n in outputs) / 10_000 == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("steady",), "there is no workload 'steady'; there are long-short, bursty, azure-code, azure-conversation"),
        (("bursty", 0), "num_jobs must be an integer of at least 1, not 0"),
        (("bursty", 1, -1), "seed must be an integer of at least 0, not -1"),
        (("bursty", 1, 0, 0), "divide_by must be an integer of at least 1, not 0"),
    ],
)
def test_wrong_made_up_workloads(arguments: tuple[str, int, int, int], sentence: str) -> None:
    with pytest.raises(ValueError) as raised:
        synthetic_jobs(*arguments)
    assert str(raised.value).startswith(sentence)


# -- trace files

AZURE = (
    HEADING
    + "2023-11-16 18:17:03.9799600,4,10\r\n2023-11-16 18:17:04.0799610,0,8\r\n\r\n2023-11-16 18:17:05.2799600,3,0\r\n"
)
MOONCAKE_LINES = (
    '{"timestamp": 1000, "input_length": 6, "output_length": 2, "hash_ids": [0, 1]}\n'
    '{"timestamp": 1300, "input_length": 1, "output_length": 1, "hash_ids": []}\n'
    "\n"
    '{"output_length": 5, "input_length": 2, "timestamp": 3000}'
)


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_bytes(content.encode())
    return path


def test_azure_rows_become_jobs(tmp_path: Path) -> None:
    """Also with CRLF, an empty line, a byte order mark, no newline at the end; a length of 0 counts as 1."""
    expected = "r1=4+10 r2=8 r3=3+1"
    for name, content in (("a.csv", AZURE), ("b.CSV", "\ufeff" + AZURE.rstrip())):
        assert text(load_trace(write(tmp_path, name, content))) == expected


def test_mooncake_rows_become_jobs(tmp_path: Path) -> None:
    assert text(load_trace(write(tmp_path, "a.jsonl", MOONCAKE_LINES))) == "r1=6+2 r2=1 r3=2+5"


def test_arrivals_are_counted_from_the_first_request(tmp_path: Path) -> None:
    azure, mooncake = write(tmp_path, "a.csv", AZURE), write(tmp_path, "a.jsonl", MOONCAKE_LINES)
    assert [job.arrival for job in load_trace(azure, tick_seconds=0.1)] == [0, 1, 13]
    assert [job.arrival for job in load_trace(azure, tick_seconds=0.3)] == [0, 0, 4]
    assert [job.arrival for job in load_trace(mooncake, tick_seconds=0.1)] == [0, 3, 20]  # 0.3 / 0.1 is 3, not 2.99
    assert [job.arrival for job in load_trace(mooncake, tick_seconds=2.5)] == [0, 0, 0]


BURST_GPT = (
    "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    "5,ChatGPT,472,18,490,Conversation log\n"
    "45.5,GPT-4,0,230,230,API log\n"
    "\n"
    "118,ChatGPT,417,0,417,Conversation log\n"
)
SESSIONS = (
    "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\r\n"
    "86400,7,1.5,ChatGPT,4,5,9,Conversation log\r\n"
    "86402.25,,,GPT-4,6,7,13,API log\r\n"
)
QWEN = (
    '{"chat_id": 159, "parent_chat_id": -1, "timestamp": 61.114, "input_length": 5, "output_length": 3, "type": '
    '"text", "turn": 1, "hash_ids": [1089]}\n'
    '{"chat_id": 160, "parent_chat_id": 159, "timestamp": 61.414, "input_length": 4, "output_length": 0, "turn": 2}\n'
    '{"chat_id": 161, "timestamp": 63, "input_length": 7, "output_length": 1}\n'
)


def test_burst_gpt_rows_become_jobs(tmp_path: Path) -> None:
    """Seconds, with or without sessions; a request that failed has 0 response tokens, which count as 1."""
    path = write(tmp_path, "a.csv", "\ufeff" + BURST_GPT)
    assert text(load_trace(path)) == "r1=472+18 r2=230 r3=417+1"
    assert [job.arrival for job in load_trace(path, tick_seconds=0.5)] == [0, 81, 226]
    path = write(tmp_path, "b.csv", SESSIONS)
    assert text(load_trace(path, tick_seconds=0.25)) == "r1=4+5 r2=6+7@9"


def test_qwen_rows_become_jobs(tmp_path: Path) -> None:
    """Seconds, since they have a chat_id: 0.3 s with ticks of 0.1 s are 3 ticks, and not 0."""
    path = write(tmp_path, "a.jsonl", "\ufeff" + QWEN.replace("\n", "\r\n"))
    assert text(load_trace(path, tick_seconds=0.1)) == "r1=5+3 r2=4+1@3 r3=7+1@18"
    whole = QWEN.replace("61.114", "61").replace("61.414", "62")
    assert [job.arrival for job in load_trace(write(tmp_path, "b.jsonl", whole), tick_seconds=1.0)] == [0, 1, 2]


@pytest.mark.parametrize("zone", ["", "+00:00", "Z"])
def test_azure_times_of_both_years_are_read(tmp_path: Path, zone: str) -> None:
    """Those of 2024 have a time zone, and no fraction where it would be 0."""
    rows = (f"2024-05-{time}{zone},4,10\n" for time in ("10 23:59:59.509930", "11 00:00:00", "11 00:00:01.009930"))
    path = write(tmp_path, "a.csv", HEADING + "".join(rows))
    assert [job.arrival for job in load_trace(path, tick_seconds=0.25)] == [0, 1, 6]


def test_requests_out_of_order_arrive_when_they_did(tmp_path: Path) -> None:
    """As long as nobody comes before the first."""
    rows = [f'{{"timestamp": {time}, "input_length": 1, "output_length": 2}}\n' for time in (100, 400, 300, 100)]
    jobs = load_trace(write(tmp_path, "a.jsonl", "".join(rows)), tick_seconds=0.1)
    assert [job.arrival for job in jobs] == [0, 3, 2, 0]


def test_a_limit_reads_no_further(tmp_path: Path) -> None:
    for name, content in (
        ("a.csv", AZURE),
        ("a.jsonl", MOONCAKE_LINES + "\n"),
        ("b.csv", BURST_GPT),
        ("b.jsonl", QWEN),
    ):
        path = write(tmp_path, name, content + "this line can't be read\n")
        assert len(load_trace(path, limit=3)) == 3
        with pytest.raises(ValueError):
            load_trace(path, limit=4)


ROW = "2023-11-16 18:17:03.9799600,4,10\n"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("t.csv", "", "t.csv: there is no request in it"),
        ("t.csv", HEADING, "t.csv: there is no request in it"),
        (
            "t.csv",
            "a,b\n" + ROW,
            "t.csv, line 1: the heading must be TIMESTAMP,ContextTokens,GeneratedTokens, not 'a,b'",
        ),
        ("t.csv", HEADING + ROW + "1,2\n", "t.csv, line 3: 2 columns, but there must be 3"),
        (
            "t.csv",
            HEADING + "yesterday,4,10\n",
            "t.csv, line 2, column TIMESTAMP: must look like 2023-11-16 18:17:03.9799600, not 'yesterday'",
        ),
        (
            "t.csv",
            HEADING + "2023-11-16T18+02:00,4,10\n",
            "t.csv, line 2, column TIMESTAMP: must look like 2023-11-16 18:17:03.9799600, not '2023-11-16T18+02:00'",
        ),
        (
            "t.csv",
            HEADING + ROW + "2023-11-16 18:17:03,4,10\n",
            "t.csv, line 3, column TIMESTAMP: 2023-11-16 18:17:03 is before the first request, "
            "2023-11-16 18:17:03.979960",
        ),
        (
            "t.csv",
            HEADING + ROW + ROW.replace(",4,", ",4.5,"),
            "t.csv, line 3, column ContextTokens: must be a whole number of at most 9 digits, not '4.5'",
        ),
        (
            "t.csv",
            HEADING + ROW.replace(",10", ",-1"),
            "t.csv, line 2, column GeneratedTokens: must be a whole number of at most 9 digits, not '-1'",
        ),
        (
            "t.csv",
            HEADING + ROW.replace(",4,", ",999999999,"),
            "t.csv, line 2: job r1: a prompt of 999999999 tokens is longer than 10000000",
        ),
        ("t.jsonl", "", "t.jsonl: there is no request in it"),
        ("t.jsonl", '{"timestamp": 1, 2}', "t.jsonl, line 1 column 18: not JSON: "),
        (
            "t.jsonl",
            MOONCAKE_LINES + "\n[]",
            "t.jsonl, line 5: wanted an object with timestamp, input_length, output_length",
        ),
        ("t.jsonl", "[" * 200_000, "t.jsonl, line 1: not JSON that can be read: "),
        ("t.jsonl", '{"timestamp": 1, "input_length": 2}', "t.jsonl, line 1, column output_length: is missing"),
        (
            "t.jsonl",
            '{"timestamp": 1, "input_length": true, "output_length": 1}',
            "t.jsonl, line 1, column input_length: must be a whole number, not 'True'",
        ),
        (
            "t.jsonl",
            MOONCAKE_LINES + '\n{"timestamp": 7, "input_length": 1, "output_length": 1}',
            "t.jsonl, line 5, column timestamp: 7 is before the first request, 1000",
        ),
        (
            "t.txt",
            "",
            "t.txt: a trace file's name must end in .csv (Azure) or .jsonl (Mooncake); BurstGPT's in .csv, Qwen's "
            "in .jsonl",
        ),
        ("t.csv.gz", "", "t.csv.gz is compressed: unpack it first, and give the .csv or .jsonl file"),
        ("t.jsonl.ZST", "", "t.jsonl.ZST is compressed: unpack it first, and give the .csv or .jsonl file"),
        *(
            (
                "t.jsonl",
                f'{MOONCAKE_LINES}\n{{"timestamp": {time}, "input_length": 1, "output_length": 1}}',
                "t.jsonl, line 5, column timestamp: must be a whole number of milliseconds, as in Mooncake's traces, "
                f"not {shown}; seconds are read only from lines with a chat_id, as in Qwen's traces",
            )
            for time, shown in (
                ("3000.5", "'3000.5'"),
                ("3001.0", "'3001.0'"),
                ("1e400", "'1E+400'"),
                ("NaN", "'NaN'"),
                ("Infinity", "'Infinity'"),
                ("-5", "'-5'"),
                ("null", "'None'"),
                ('"3001"', "'3001'"),
            )
        ),
        *(
            (
                "t.jsonl",
                f'{QWEN}{{"chat_id": 162, "timestamp": {time}, "input_length": 1, "output_length": 1}}',
                f"t.jsonl, line 4, column timestamp: must be seconds, as in Qwen's traces, not '{shown}'",
            )
            for time, shown in (("-1.5", "-1.5"), ("NaN", "NaN"), ("true", "True"), ("1e99999", "1E+99999"))
        ),
        (
            "t.jsonl",
            '{"timestamp": 1e99999999999999999999, "input_length": 1, "output_length": 1}',
            "t.jsonl, line 1: not JSON that can be read: the number 1e99999999999999999999 is out of range",
        ),
        (
            "t.jsonl",
            MOONCAKE_LINES + "\n" + QWEN,
            "t.jsonl, line 5, column timestamp: 61.114 is in seconds, as in Qwen's traces (by its chat_id), but the "
            "first request's is in milliseconds, as in Mooncake's traces (no chat_id)",
        ),
        (
            "t.jsonl",
            QWEN + MOONCAKE_LINES,
            "t.jsonl, line 4, column timestamp: 1000 is in milliseconds, as in Mooncake's traces (no chat_id), but the "
            "first request's is in seconds",
        ),
        (
            "t.jsonl",
            QWEN + QWEN.replace("61.114", "61.113"),
            "t.jsonl, line 4, column timestamp: 61.113 is before the first request, 61.114",
        ),
        (
            "t.jsonl",
            '{"chat_id": 1, "input_length": 1, "output_length": 1}',
            "t.jsonl, line 1, column timestamp: is mis",
        ),
        (
            "t.csv",
            HEADING + ROW + ROW.replace("00,", "00+00:00,"),
            "t.csv, line 3, column TIMESTAMP: 2023-11-16 18:17:03.979960+00:00 is with a time zone, but the first "
            "request's is without a time zone",
        ),
        *(
            (
                "t.csv",
                f"{HEADING}{time},4,10\n",
                f"t.csv, line 2, column TIMESTAMP: must look like 2023-11-16 18:17:03.9799600, not '{time}'",
            )
            for time in (
                "20231116",
                "2023-11-16",
                "1700158623.98",
                "2023-11-31 18:17:03",
                "",
                "nan",
                "2023-11-16 18:17",
            )
        ),
        *(
            (
                "t.csv",
                BURST_GPT.replace("45.5", time),
                f"t.csv, line 3, column Timestamp: must be seconds, as in BurstGPT's traces, not '{time}'",
            )
            for time in ("-1", "nan", "inf", "", "1e3", "00:45", "2023-11-16 18:17:03")
        ),
        (
            "t.csv",
            BURST_GPT.replace("45.5", "4.5"),
            "t.csv, line 3, column Timestamp: 4.5 is before the first request, 5",
        ),
        (
            "t.csv",
            BURST_GPT.replace("417,0,", "417.0,0,"),
            "t.csv, line 5, column Request tokens: must be a whole number of at most 9 digits, not '417.0'",
        ),
        ("t.csv", BURST_GPT.replace("472,18,490,", "472,18,"), "t.csv, line 2: 5 columns, but there must be 6"),
        (
            "t.csv",
            "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n",
            "t.csv, line 1: the heading must be TIMESTAMP,ContextTokens,GeneratedTokens, not 'TIMESTAMP,NumImages,"
            "ContextTokens,GeneratedTokens' (BurstGPT's Timestamp,Model,Request tokens,Response tokens,Total tokens,"
            "Log Type is read, too)",
        ),
    ],
)
def test_a_wrong_trace_file_is_one_sentence(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    with pytest.raises(ValueError) as raised:
        load_trace(write(tmp_path, name, content))
    message = str(raised.value).replace(f"{tmp_path}{'/' if '/' in str(tmp_path) else chr(92)}", "")
    assert message.startswith(sentence) and "\n" not in message


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.csv").write_bytes(HEADING.encode() + b"\xe9")
    with pytest.raises(ValueError, match=r"latin\.csv is not UTF-8 text"):
        load_trace(tmp_path / "latin.csv")
    with pytest.raises(ValueError, match=r"can't read the trace file .*none\.jsonl: No such file"):
        load_trace(tmp_path / "none.jsonl")
    path = write(tmp_path, "t.csv", AZURE)
    with pytest.raises(ValueError, match="limit must be an integer of at least 1, not 0"):
        load_trace(path, limit=0)
    for seconds in (0.0, -1.0, 1e-9, 1e9, float("nan")):
        with pytest.raises(ValueError, match=r"tick_seconds must be between 0\.000001 and 86400, not"):
            load_trace(path, tick_seconds=seconds)


@pytest.mark.parametrize(
    ("name", "num_jobs", "num_prompt_tokens", "num_output_tokens", "last_arrival"),
    [
        (CODE, 8_819, 18_059_974, 245_896, 3_435),
        (CONVERSATION, 19_366, 22_361_870, 4_088_665, 3_501),
        (MOONCAKE, 3_993, 61_194_628, 595_432, 1_022),
    ],
)
def test_the_real_traces_are_read_whole(
    name: str, num_jobs: int, num_prompt_tokens: int, num_output_tokens: int, last_arrival: int
) -> None:
    if not (DATA / name).is_file():
        pytest.skip(f"{DATA / name} is not there")
    jobs = load_trace(DATA / name, tick_seconds=1.0)
    prompts, outputs = lengths(jobs)
    assert (len(jobs), sum(prompts), sum(outputs)) == (num_jobs, num_prompt_tokens, num_output_tokens)
    assert (jobs[0].arrival, jobs[-1].arrival) == (0, last_arrival)


# -- the command line


def run(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    status = main([*options, "--submission", str(SOLUTION)])
    output = capsys.readouterr()
    return status, output.out, output.err


def test_run_takes_trace_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", AZURE)
    status, output, _ = run(capsys, "run", "--jobs", str(path), "--limit", "2", "--tick-seconds", "0.1", "--ascii")
    assert status == 0
    assert "\n1     r1:4                0        1\n2     r1 r2 " in output
    assert "r2       1        1     9       8        1            0          finished" in output
    assert output.endswith("\n10 ticks, slots in use 90%.\n")


def test_a_long_run_is_cut(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    options = ["--workload", "bursty", "--num-jobs", "60", "--seed", "1", "--slots", "4", "--json", str(path)]
    status, output, _ = run(capsys, "run", *options)
    assert status == 0
    lines = output.splitlines()
    assert "(the first 50 of 325 ticks)" in lines and "(the first 50 of 60 requests)" in lines
    assert sum(line.startswith("r") and line.endswith("finished") for line in lines) == 50
    at = lines.index("in ticks  p50  p95  p99")
    assert lines[at + 1 :] == [
        "TTFT      7    27   42",
        "latency   23   43   62",
        "gap       1    1    1",
        "",
        "(no picture of more than 50 requests)",
        "",
        "325 ticks, slots in use 65%.",
    ]
    assert len(json.loads(path.read_text(encoding="utf-8"))["ticks"]) == 325


def test_compare_of_many_requests_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    status, output, _ = run(capsys, "compare", "--workload", "long-short", "--num-jobs", "60", "--slots", "8")
    assert status == 0
    assert output.endswith("""
(and 10 more)
TTFT p50          207     41
TTFT p95          460     108
TTFT p99          460     117
latency p50       215     67
latency p95       463     122
latency p99       470     155
gap p50           1       1
gap p95           1       1
gap p99           1       1
total ticks       470     155
slots in use      28%     84%
""")


def test_a_wide_tick_is_cut(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["run", "--workload", "long-short", "--num-jobs", "60", "--slots", "60"]
    _, output, _ = run(capsys, *options)
    assert "\n1     r1:16 r2:64 r3:16 r4:9 r5:8 r6:13 r7:12 r8:15 r9:14 r10:5 r11:13 r12:11 r13: ...  " in output


BOTH = "the jobs must come from --jobs or from --workload, and not from both"


def test_of_a_long_run_with_a_fault_the_last_ticks_are_shown(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    scheduler = (SOLUTION / "scheduler.py").read_text(encoding="utf-8")
    old = "return Schedule(self.scheduled, tuple(preempted))"
    assert scheduler.count(old) == 1
    new = "self.calls = getattr(self, 'calls', 0) + 1\n"
    new += f"        return Schedule({{}}) if self.calls == 80 else {old[7:]}"
    (tmp_path / "scheduler.py").write_text(scheduler.replace(old, new), encoding="utf-8")
    assert main(["run", "--jobs", "A=100", "--submission", str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert output.out.startswith("continuous batching\n\ntick  ran  waiting  running\n30    A    0        1\n")
    assert "\n79    A    0        1\n(the last 50 of 79 ticks)\n" in output.out
    assert output.err.startswith("Tick 80: nothing was scheduled, but nobody waiting and A running.")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], BOTH),
        (["--jobs", "A=4", "--workload", "bursty"], BOTH),
        (["--jobs", "A=4", "--seed", "1"], "--seed goes with --workload only"),
        (["--jobs", "A=4", "--num-jobs", "1"], "--num-jobs goes with --workload only"),
        (["--jobs", "t.csv", "--divide-by", "1"], "--divide-by goes with --workload only"),
        (["--jobs", "A=4", "--limit", "1"], "--limit goes with a trace file (--jobs FILE.csv or FILE.jsonl) only"),
        (
            ["--workload", "bursty", "--tick-seconds", "1"],
            "--tick-seconds goes with a trace file (--jobs FILE.csv or FILE.jsonl) only",
        ),
        (["--workload", "best"], "there is no workload 'best'; there are long-short, bursty, azure-code"),
        (
            ["--jobs", "nowhere.csv.gz", "--limit", "1"],
            "nowhere.csv.gz is compressed: unpack it first, and give the .c",
        ),
        (["--jobs", "nowhere.csv"], "can't read the trace file nowhere.csv: No such file or directory"),
        (["--jobs", "nowhere.jsonl", "--limit", "0"], "limit must be an integer of at least 1, not 0"),
    ],
)
def test_wrong_usage_is_one_sentence(capsys: pytest.CaptureFixture[str], options: list[str], sentence: str) -> None:
    status, output, error = run(capsys, "run", *options)
    assert (status, output) == (2, "")
    assert error.startswith(f"batching_lab: {sentence}") and error.count("\n") == 1


def test_percentiles_are_nearest_rank() -> None:
    assert percentiles([5], [50, 95, 99]) == [5, 5, 5]
    assert percentiles([4, 3, 2, 1], [25, 50, 51, 100]) == [1, 2, 3, 4]
    assert percentiles(range(1, 101), [50, 95, 99]) == [50, 95, 99]


# -- the progress bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "num_jobs"), [(Terminal, MIN_JOBS), (Terminal, 3), (io.StringIO, MIN_JOBS)])
def test_a_bar_is_drawn_on_a_terminal_for_a_long_run(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    stream: type[io.StringIO],
    num_jobs: int,
) -> None:
    pytest.importorskip("tqdm", reason="the extra `tools` is not installed")
    error = stream()
    error.reconfigure = lambda **_: None  # type: ignore[attr-defined]
    monkeypatch.setattr(sys, "stderr", error)
    assert main(["run", "--jobs", decode_file(tmp_path, num_jobs), "--submission", str(SOLUTION)]) == 0
    drawn = error.getvalue()
    assert (f"/{2 * num_jobs} " in drawn) == (stream is Terminal and num_jobs == MIN_JOBS)
    assert drawn == "" or drawn.isascii()
    assert "tokens" not in capsys.readouterr().out.replace("tokens recomputed", "")


def test_without_tqdm_there_is_no_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    error = Terminal()
    error.reconfigure = lambda **_: None  # type: ignore[attr-defined]
    monkeypatch.setattr(sys, "stderr", error)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["run", "--jobs", decode_file(tmp_path, MIN_JOBS), "--submission", str(SOLUTION)]) == 0
    assert (error.getvalue(), f"(the first 50 of {MIN_JOBS} requests)" in capsys.readouterr().out) == ("", True)


def decode_file(folder: Path, num_jobs: int) -> str:
    rows = "".join(f"2023-11-16 18:17:03,{len(job.request.prompt_token_ids)},2\n" for job in decode_only([("A", 2)]))
    return str(write(folder, "decodes.csv", HEADING + rows * num_jobs))


def test_prompts_of_one_length_are_one_tuple() -> None:
    """A whole trace must fit into memory."""
    assert make_job("A", 5000, 1).request.prompt_token_ids is make_job("B", 5000, 2).request.prompt_token_ids
