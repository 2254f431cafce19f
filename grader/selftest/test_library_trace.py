"""Traces, pictures and comparisons: numbers worked out by hand."""

import json
from typing import Any

import pytest

from batching_lab import Trace, UnitCost, simulate
from batching_lab.config import SchedulerConfig
from batching_lab.difference import KINDS, Difference, compare_traces, first_difference, parse_ticks, schedule_text
from batching_lab.harness import Harness
from batching_lab.reports.run_json import trace_json
from batching_lab.reports.run_tables import request_table, tick_table
from batching_lab.reports.timeline import ASCII, UNICODE, gaps_of, slot_view, timeline
from batching_lab.submission.loading import Submission
from batching_lab.trace import RequestRecord
from grader.paths import SOLUTION

HARNESS = Harness(Submission(SOLUTION))
SEED = "A=4,B=1,C=1"


def static(jobs: str = SEED, slots: int = 2, **options: Any) -> Trace:
    return HARNESS.run("static", jobs, max_num_seqs=slots, **options)


def continuous(jobs: str = SEED, slots: int = 2, **options: Any) -> Trace:
    return HARNESS.run("continuous", jobs, max_num_seqs=slots, **options)


# A waits at first, its prompt is cut 4 + 1 by the budget; tokens in cache after ticks 2, 3, 4: A 4 5 6, B - 1 2
CHUNKED: dict[str, Any] = {
    "max_num_batched_tokens": 4,
    "enable_chunked_prefill": True,
    "num_blocks": 6,
    "block_size": 2,
}
# four blocks of 2: both hold two after tick 3, A needs a third for its 5th token and evicts B, which has computed 4
EVICTING: dict[str, Any] = {"kv_policy": "max_utilization", "num_blocks": 4, "block_size": 2}
EVICTED = "A=2+4,B=2+4"

TRACES = [
    # trace, finish ticks, TTFT, latency, gaps, slot utilisation, KV utilisation, costs for UnitCost(10, 2, 0.5)
    (static(), {"B": 1, "A": 4, "C": 5}, {"A": 1, "B": 1, "C": 5}, {"A": 4, "B": 1, "C": 5},
     {"A": [1, 1, 1], "B": [], "C": []}, 6 / 10, None, [15, 13, 13.5, 14, 12.5]),
    (continuous(), {"B": 1, "C": 2, "A": 4}, {"A": 1, "B": 1, "C": 2}, {"A": 4, "B": 1, "C": 2},
     {"A": [1, 1, 1], "B": [], "C": []}, 6 / 8, None, [15, 15.5, 13.5, 14]),
    (continuous("A=5+2@1,B=1+2@2", **CHUNKED), {"A": 4, "B": 4}, {"A": 2, "B": 1}, {"A": 3, "B": 2},
     {"A": [1], "B": [1]}, 5 / 8, 10 / 24, [10, 20, 17, 18]),
    (continuous(EVICTED, **EVICTING), {"A": 4, "B": 5}, {"A": 1, "B": 1}, {"A": 4, "B": 5},
     {"A": [1, 1, 1], "B": [1, 1, 2]}, 8 / 10, 16 / 20, [20, 17, 18, 14.5, 22.5]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("trace", "finish_ticks", "ttft", "latency", "gaps", "slots", "kv", "costs"),
    TRACES,
    ids=["static", "continuous", "chunked", "evicting"],
)
def test_numbers(
    trace: Trace,
    finish_ticks: dict[str, int],
    ttft: dict[str, int],
    latency: dict[str, int],
    gaps: dict[str, list[int]],
    slots: float,
    kv: float | None,
    costs: list[float],
) -> None:
    assert list(trace.finish_ticks.items()) == list(finish_ticks.items())
    assert trace.num_ticks == max(finish_ticks.values()) == len(costs)
    assert (trace.ttft, trace.latency, trace.gaps) == (ttft, latency, gaps)
    assert trace.slot_utilization == pytest.approx(slots)
    assert trace.kv_utilization == (None if kv is None else pytest.approx(kv))
    assert trace.tick_costs(UnitCost(10, 2, 0.5)) == costs
    assert trace.total_cost(UnitCost(10, 2, 0.5)) == sum(costs)
    assert trace.total_cost(UnitCost()) == trace.num_ticks
    assert trace.num_output_tokens == sum(1 + len(gap) for gap in gaps.values())


@pytest.mark.parametrize(
    ("abort", "num_ticks", "recomputed", "status"),
    [("~4", 4, 0, "aborted"), ("~5", 5, 2, "aborted"), ("~6", 6, 4, "aborted"), ("", 7, 4, "finished")],
)
def test_recomputed_tokens(abort: str, num_ticks: int, recomputed: int, status: str) -> None:
    """B is evicted with 4 tokens before tick 4 and computes them again two by two: 2 in tick 5, 2 in tick 6."""
    trace = continuous(EVICTED + abort, enable_chunked_prefill=True, prefill_chunk_size=2, **EVICTING)
    assert trace.ticks[3].preempted == ("B",) and trace.requests["B"].status == status
    assert (trace.num_ticks, trace.num_preemptions, trace.num_recomputed_tokens) == (num_ticks, 1, recomputed)


@pytest.mark.parametrize(
    ("evicted_at", "left_at", "recomputed"),
    [([5], 9, 5), ([5], 5, 5), ([5], 3, 3), ([5, 3], 0, 3), ([5, 7], 4, 9), ([5, 3, 8], 9, 16), ([], 4, 0)],
)
def test_recomputed_tokens_of_one_request(evicted_at: list[int], left_at: int, recomputed: int) -> None:
    record = RequestRecord("A", 0, 1)
    for num_computed_tokens in evicted_at:
        record.preempt(num_computed_tokens)
    record.leave(left_at)
    assert (record.num_preemptions, record.num_recomputed_tokens) == (len(evicted_at), recomputed)


def test_tables() -> None:
    trace = continuous("A=2+4,B=2+4,C=9+1,D=1~1", **EVICTING)
    assert tick_table(trace) == (
        "tick  ran      preempted  left        waiting  running  blocks\n"
        "1     A:2 B:2             C refused   1        2        2/4\n"
        "2     A B                 D aborted   0        2        4/4\n"
        "3     A B                             0        2        4/4\n"
        "4     A        B          A finished  1        1        3/4\n"
        "5     B:5                 B finished  0        1        3/4"
    )
    assert request_table(trace) == (
        "request  arrival  TTFT  finish  latency  longest gap  preempted  status\n"
        "A        0        1     4       4        1            0          finished\n"
        "B        0        1     5       5        2            1          finished\n"
        "C        0        -     -       -        -            0          refused\n"
        "D        0        -     -       -        -            0          aborted"
    )
    assert tick_table(continuous("A=1@1")) == (
        "tick  ran   left        waiting  running\n"
        "1     idle              0        0\n"
        "2     A     A finished  0        1"
    )


def test_json() -> None:
    data = json.loads(trace_json(continuous("A=2+4,B=2+4,C=9+1,D=1~1", **EVICTING)))
    limits: dict[str, Any] = {"max_num_seqs": 2, "max_num_batched_tokens": None, "enable_chunked_prefill": False}
    assert data["limits"] == limits | {"prefill_chunk_size": None, "kv_policy": "max_utilization"}
    totals: dict[str, Any] = {"num_blocks": 4, "block_size": 2, "num_ticks": 5, "num_preemptions": 1}
    totals |= {
        "num_recomputed_tokens": 4,
        "schema": "batching-lab/trace/v1",
        "slot_utilization": 0.8,
        "kv_utilization": 0.8,
    }
    assert {name: data[name] for name in totals} == totals and data["violation"] is None
    tick: dict[str, Any] = {
        "tick": 4,
        "num_scheduled_tokens": {"A": 1},
        "preempted": ["B"],
        "finished": ["A"],
        "aborted": [],
    }
    tick |= {"refused": [], "num_waiting": 1, "num_running": 1, "blocks_used": 3, "num_context_tokens": 5}
    assert data["ticks"][3] == tick and [t["tick"] for t in data["ticks"]] == [1, 2, 3, 4, 5]
    request: dict[str, Any] = {
        "request_id": "B",
        "arrival": 0,
        "num_prompt_tokens": 2,
        "status": "finished",
        "latency": 5,
        "ttft": 1,
    }
    request |= {"token_ticks": [1, 2, 3, 5], "finish_tick": 5, "num_preemptions": 1, "num_recomputed_tokens": 4}
    assert data["requests"][1] == request and [r["request_id"] for r in data["requests"]] == ["A", "B", "C", "D"]
    assert [r["status"] for r in data["requests"]] == ["finished", "finished", "refused", "aborted"]


PICTURE = """\
tick    1 2 3 4 5
slot 1  A A A A C
slot 2  B - - - .
slot 2 is empty in ticks 2 to 4, while C waits"""


def test_picture_of_the_seed() -> None:
    assert timeline(static(), ASCII, 80) == PICTURE
    assert timeline(static(), UNICODE, 80) == PICTURE.replace("-", "░").replace(".", "·")
    assert timeline(continuous(), ASCII, 80) == "tick    1 2 3 4\nslot 1  A A A A\nslot 2  B C . ."
    assert timeline(static(), ASCII, 13) == (  # 13 columns hold three ticks exactly
        "tick    1 2 3\nslot 1  A A A\nslot 2  B - -\n\n"
        "tick    4 5\nslot 1  A C\nslot 2  - .\nslot 2 is empty in ticks 2 to 4, while C waits"
    )


@pytest.mark.parametrize("width", [1, 8, 13, 14, 15, 40, 79])
def test_wrapped_pictures_lose_nothing(width: int) -> None:
    trace = continuous("A=11+30,B=3+9@4,C=2+2@4")
    lines = timeline(trace, ASCII, width).split("slot 1 is")[0].split("slot 2 is")[0].splitlines()
    assert max(map(len, lines)) <= max(width, len("slot 1  A:11"))
    for head, cells in (("tick", list(map(str, range(1, 31)))), ("slot 1", ["A:11", *"A" * 29])):
        assert [word for line in lines if line.startswith(head) for word in line[8:].split()] == cells


def test_long_pictures_are_cut() -> None:
    assert "(the first" not in timeline(continuous("A=200"), ASCII, 9999)
    *picture, note = timeline(continuous("A=201"), ASCII, 9999).splitlines()
    assert note == "(the first 200 of 201 ticks)"
    assert [line.split()[-1] for line in picture] == ["200", "A", "."]


@pytest.mark.parametrize(
    ("trace", "labels"),
    [
        (static("A=2,B=1,C=1"), ["slot 2 is empty in tick 2, while C waits"]),
        (static("A=2,B=1,C=1,D=1"), ["slot 2 is empty in tick 2, while C, D wait"]),
        (static("A=2,B=1,E=1,D=1,C=1"), ["slot 2 is empty in tick 2, while E, D, C wait"]),
        (static("A=2,B=1,C=1,D=1,E=1,F=1"), ["slot 2 is empty in tick 2, while C, D, E and 1 more wait"]),
        (
            static("A=3,B=1,C=2,D=1", slots=3),
            ["slot 2 is empty in ticks 2 to 3, while D waits", "slot 3 is empty in tick 3, while D waits"],
        ),
        (static("A=3,B=1~9"), []),
        (continuous("A=9~2,B=3~1,C=4@1~1"), []),
    ],
)
def test_labels_of_pictures(trace: Trace, labels: list[str]) -> None:
    assert [line for line in timeline(trace, ASCII, 80).splitlines() if "empty" in line] == labels


@pytest.mark.parametrize(
    ("num_batches", "last"),
    [
        (9, "slot 2 is empty in tick 16, while A8, B8 wait"),
        (10, "(9 such gaps in all)"),
        (12, "(11 such gaps in all)"),
    ],
)
def test_many_labels(num_batches: int, last: str) -> None:
    trace = static(",".join(f"A{i}=2,B{i}=1" for i in range(num_batches)))
    labels = timeline(trace, ASCII, 200).splitlines()[3:]
    assert len(labels) == min(9, num_batches - 1) and labels[-1] == last


@pytest.mark.parametrize(
    "trace",
    [
        continuous("A=2+3,C=4+2,D=4+1", slots=3, max_num_batched_tokens=4),
        static("A=9,B=1,C=1~4,D=1"),
        continuous("A=2+4,B=2+4,C=2+4,D=1+1", slots=3, **EVICTING),
    ],
)
def test_who_is_said_to_wait_does_wait(trace: Trace) -> None:
    view = slot_view(trace)
    assert gaps_of(view)
    for gap in gaps_of(view):
        for tick in range(gap.first, gap.last + 1):
            assert set(gap.waiting) <= set(view.waiting[tick - 1]), f"tick {tick}: {gap}"
            assert view.cells[tick - 1][gap.slot] is None


def test_pictures_of_nothing() -> None:
    for trace in (Trace(), simulate(HARNESS.scheduler("static", SchedulerConfig(2)), [])):
        assert (trace.num_ticks, trace.slot_utilization, trace.kv_utilization, tick_table(trace)) == (0, None, None, "")
        assert timeline(trace, ASCII, 80) == "" and json.loads(trace_json(trace))["ticks"] == []


TICKS = "1 A B:2\n2 A -C -D\n3 idle"


@pytest.mark.parametrize(
    ("kind", "tick", "request_id", "other"),
    [
        ("not admitted", 1, "B", "1 A"),
        ("overtaken", 1, "A", "1 B:2 C"),
        ("left out", 2, "A", "1 A B:2\n2 -C -D"),
        ("admitted", 1, "C", "1 C A B:2"),
        ("extra", 3, "A", "1 A B:2\n2 A -C -D\n3 A"),
        ("more tokens", 1, "B", "1 A B:3"),
        ("fewer tokens", 1, "B", "1 A B"),
        ("order", 1, None, "1 B:2 A"),
        ("preemption missing", 2, "D", "1 A B:2\n2 -C A"),
        ("preemption extra", 2, "E", "1 A B:2\n2 A B -C -E -D"),
        ("preemption order", 2, None, "1 A B:2\n2 A -D -C"),
        ("ended early", 3, None, "1 A B:2\n2 A -C -D"),
        ("ended early", 1, None, ""),
        ("ended late", 4, None, f"{TICKS}\n4 idle"),
    ],
)
def test_first_difference(kind: str, tick: int, request_id: str | None, other: str) -> None:
    difference = first_difference(parse_ticks(TICKS), parse_ticks(other))
    instead = "C" if kind == "overtaken" else None
    assert difference == Difference(tick, kind, request_id, instead)
    assert str(difference) == f"Tick {tick}: {KINDS[kind].format(request_id, instead)}"
    assert "None" not in str(difference)


def test_every_kind_of_difference_is_tried() -> None:
    marks = test_first_difference.pytestmark  # type: ignore[attr-defined]
    assert {case[0] for case in marks[0].args[1]} == set(KINDS)
    assert first_difference(parse_ticks(TICKS), parse_ticks(f"\n  {TICKS}\n\n")) is None


def test_ticks_as_text_and_back() -> None:
    lines = ["A B:12 -C", "idle", "x-1 -y.2"]
    text = "\n".join(f"{tick} {line}" for tick, line in enumerate(lines, start=1))
    assert [schedule_text(schedule) for schedule in parse_ticks(text)] == lines


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2 A", "tick 1 was expected, but the line is '2 A'"),
        ("1 A\n\n A B", "tick 2 was expected, but the line is 'A B'"),
        *((f"1 A\n2 {word}", f"tick 2: can't read '{word}'") for word in ("B:", ":2", "B:x", "B:-1", "--B", "-")),
        *((f"1 A\n2 {words}", "tick 2: ") for words in ("B:0", "A B A:2", "-B:3", "idle A")),
    ],
)  # fmt: skip
def test_ticks_that_cannot_be_read(text: str, says: str) -> None:
    with pytest.raises(ValueError) as error:
        parse_ticks(text)
    assert str(error.value).startswith(says)


def test_compare_traces() -> None:
    assert compare_traces(static(), static()) == "No tick differs: both runs take 5 ticks."
    assert compare_traces(static(), continuous(), ("static", "continuous")) == (
        "The first tick that differs is tick 2.\n"
        "   tick  static  continuous\n"
        "   1     A B     A B\n"
        ">  2     A       A C\n"
        "   3     A       A\n"
        "   4     A       A\n"
        "   5     C       (over)"
    )
    long, longer = continuous("A=9"), continuous("A=20")
    assert compare_traces(long, longer).splitlines()[0] == "The first tick that differs is tick 10."
    assert [line.split()[-2:] for line in compare_traces(long, longer).splitlines()[2:]] == [
        *[["A", "A"]] * 3, *[["(over)", "A"]] * 4,
    ]  # fmt: skip
