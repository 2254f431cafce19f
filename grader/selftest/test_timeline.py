"""`python -m batching_lab timeline`: the picture alone."""

from pathlib import Path

import pytest

from batching_lab.commands.cli import main
from grader.paths import SOLUTION
from grader.proving.helpers import make_submission

STATIC = """\
tick    1 2 3 4 5
slot 1  A A A A C
slot 2  B - - - .
slot 2 is empty in ticks 2 to 4, while C waits
"""
WRAPPED = """\
tick    1 2 3
slot 1  A A A
slot 2  B - -

tick    4 5
slot 1  A C
slot 2  - .
slot 2 is empty in ticks 2 to 4, while C waits
"""
PART = """\
tick    40 41 42 43
slot 1  A  A  A  A
slot 2  B  -  -  -
(40 to 43 of 401 ticks)
slot 2 is empty in ticks 41 to 400, while C waits
"""
END = """\
tick    400 401
slot 1  A   C
slot 2  -   .
(400 to 401 of 401 ticks)
slot 2 is empty in ticks 41 to 400, while C waits
"""
BEFORE_THE_GAP = """\
tick    1 2
slot 1  A A
slot 2  B B
(1 to 2 of 401 ticks)
"""
SEED = ["--jobs", "A=4,B=1,C=1", "--policy", "static"]
LONG = ["--jobs", "A=400,B=40,C=1", "--policy", "static"]


@pytest.mark.parametrize(
    ("options", "picture"),
    [
        (SEED, STATIC),
        ([*SEED, "--width", "13"], WRAPPED),
        ([*SEED, "--ticks", "1..5"], STATIC),
        ([*SEED, "--ticks", "1..99"], STATIC),
        (["--jobs", "A=4,B=1,C=1"], "tick    1 2 3 4\nslot 1  A A A A\nslot 2  B C . .\n"),
        ([*LONG, "--ticks", "40..43"], PART),
        ([*LONG, "--ticks", "400..500"], END),
        ([*LONG, "--ticks", "1..2"], BEFORE_THE_GAP),
    ],
)
def test_picture(options: list[str], picture: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["timeline", *options, "--ascii", "--submission", str(SOLUTION)]) == 0
    assert capsys.readouterr().out == picture


def test_more_than_200_ticks_are_drawn_when_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    options = [*LONG, "--ticks", "1..401", "--width", "9999", "--ascii", "--submission", str(SOLUTION)]
    assert main(["timeline", *options]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["tick", *map(str, range(1, 402))]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--width", "0"], "--width must be at least 1, not 0"),
        (["--ticks", "5"], "--ticks: can't read '5': it must look like 5..20"),
        (["--ticks", "a..b"], "--ticks: can't read 'a..b': it must look like 5..20"),
        (["--ticks", "4..2"], "--ticks: 4..2 is empty: 4 is more than 2"),
        (["--ticks", "0..2"], "--ticks: the run has 5 ticks, and no tick 0"),
        (["--ticks", "6..9"], "--ticks: the run has 5 ticks, and no tick 6"),
        (
            ["--jobs", ",".join(f"r{number}=1" for number in range(201))],
            "nobody could follow 201 requests in a picture: take 200 or fewer",
        ),
    ],
)
def test_wrong_usage_is_one_sentence(options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["timeline", *SEED, *options, "--submission", str(SOLUTION)]) == 2
    assert capsys.readouterr().err == f"batching_lab: {sentence}\n"


def test_a_fault_ends_the_picture(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    old = "return Schedule(self.scheduled, tuple(preempted))"
    stops = [
        ("scheduler.py", old, f"self.scheduled = {{}} if len(self.running) == 1 else self.scheduled\n        {old}")
    ]
    folder = make_submission(tmp_path / "stops", stops)
    assert main(["timeline", "--jobs", "A=3,B=1", "--ticks", "2..3", "--ascii", "--submission", str(folder)]) == 1
    printed = capsys.readouterr()
    assert printed.out == "tick    1\nslot 1  A\nslot 2  B\n"
    assert printed.err.startswith("Tick 2: nothing was scheduled, but nobody waiting and A running. Rule: ")
