"""`check-answers` and `pack`: what a student does before handing in."""

import tomllib
import zipfile
from pathlib import Path

import pytest

from batching_lab.commands.cli import main
from batching_lab.submission.answers import QUESTIONS
from batching_lab.submission.loading import Submission
from grader.paths import ROOT, SOLUTION
from grader.proving.helpers import make_submission

Change = tuple[str, str, str]


def test_the_questions_are_those_of_the_answers_file() -> None:
    for folder in ("starter", "solution"):
        text = (ROOT / folder / "answers.toml").read_text(encoding="utf-8")
        assert tuple(tomllib.loads(text)) == QUESTIONS


def test_answers_of_the_solution_and_of_the_starter(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check-answers", "--submission", str(SOLUTION)]) == 0
    assert capsys.readouterr().out == "answers.toml: 10 of 10 questions are answered with a whole number.\n"
    assert main(["check-answers", "--submission", str(ROOT / "starter")]) == 1
    first, todo, *lines = capsys.readouterr().out.splitlines()
    assert first == "answers.toml: 0 of 10 questions are answered with a whole number."
    assert todo == "Still to do:" and lines == [f"  {question} is not answered yet" for question in QUESTIONS]


def test_answers_of_the_wrong_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    changes = [
        ("answers.toml", "static_d_finish = 7", "static_d_finsh = 7"),
        ("answers.toml", "continuous_d_finish = 6", "continuous_d_finish = 6.0"),
        ("answers.toml", "static_empty_slot_ticks = 6", 'static_empty_slot_ticks = "6"'),
        ("answers.toml", "equal_lengths_gain = 0", "equal_lengths_gain = false"),
    ]
    assert main(["check-answers", "--submission", str(make_submission(tmp_path / "s", changes))]) == 1
    assert capsys.readouterr().out == (
        "answers.toml: 6 of 10 questions are answered with a whole number.\n"
        "Still to do:\n"
        "  answers.toml has no line static_d_finish = ...\n"
        "  continuous_d_finish must be a whole number, not 6.0\n"
        "  static_empty_slot_ticks must be a whole number, not '6'\n"
        "  equal_lengths_gain must be a whole number, not False\n"
        "  'static_d_finsh' is none of the questions\n"
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"x =", "answers.toml is not valid TOML: Invalid value (at end of document)."),
        (b"\xff", "answers.toml is not UTF-8 text."),
        (None, "answers.toml is missing."),
    ],
)
def test_an_answers_file_that_cannot_be_read(
    text: bytes | None, sentence: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "answers.toml").write_bytes(text)
    assert main(["check-answers", "--submission", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"{sentence}\n"


def test_the_zip_holds_what_is_graded(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "s", files={"helper.py": "x = 1\n", "conftest.py": "", "notes.txt": "no"})
    (folder / "batching_lab").mkdir()
    (folder / "batching_lab" / "cli.py").write_text("", encoding="utf-8")
    out = tmp_path / "hand-in.zip"
    assert main(["pack", "--submission", str(folder), "--out", str(out)]) == 0
    names = ["answers.toml", "helper.py", "kv_allocator.py", "scheduler.py"]
    printed = capsys.readouterr()
    assert printed.err == "conftest.py was not taken: it is no part of a submission.\n"
    heading, columns, *rows, answers = printed.out.splitlines()
    assert heading == f"{out} holds" and columns.split() == ["file", "bytes"]
    assert [row.split() for row in rows] == [[name, str((folder / name).stat().st_size)] for name in names]
    assert answers == "answers.toml: 10 of 10 questions are answered with a whole number."
    with zipfile.ZipFile(out) as archive:
        assert archive.namelist() == names and archive.testzip() is None
        assert {name: archive.read(name) for name in names} == {name: (folder / name).read_bytes() for name in names}
        archive.extractall(tmp_path / "unpacked")
    assert isinstance(Submission(tmp_path / "unpacked").get_class("ContinuousScheduler"), type)


def test_the_same_files_make_the_same_zip(tmp_path: Path) -> None:
    zips = []
    for name in ("one", "two"):
        folder = make_submission(tmp_path / name)
        (folder / "scheduler.py").chmod(0o600 if name == "one" else 0o755)
        out = tmp_path / f"{name}.zip"
        assert main(["pack", "--submission", str(folder), "--out", str(out)]) == 0
        zips.append(out.read_bytes())
    assert zips[0] == zips[1]


@pytest.mark.parametrize(
    ("changes", "files", "missing", "sentences"),
    [
        ([], {}, "scheduler.py", ["scheduler.py is missing."]),
        ([], {}, "answers.toml", ["answers.toml is missing."]),
        ([], {"answers.toml": "x ="}, "", ["answers.toml is not valid TOML: Invalid value (at end of document)."]),
        (
            [],
            {"kv_allocator.py": "class BlockAllocator:\n    pass\n"},
            "",
            ["kv_allocator.py: the class BlockAllocator has no blocks_needed."],
        ),
        (
            [],
            {"scheduler.py": "import os\ndef f(:\n"},
            "",
            ["scheduler.py can't be imported: syntax error in scheduler.py, line 2: invalid syntax."],
        ),
        (
            [],
            {"scheduler.py": "1 / 0\n"},
            "kv_allocator.py",
            [
                "kv_allocator.py is missing.",
                "scheduler.py can't be imported: ZeroDivisionError: division by zero (scheduler.py, line 1: 1 / 0).",
            ],
        ),
    ],
)
def test_pack_refuses_what_cannot_be_graded(
    changes: list[Change],
    files: dict[str, str],
    missing: str,
    sentences: list[str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    folder = make_submission(tmp_path / "s", changes, files)
    if missing:
        (folder / missing).unlink()
    out = tmp_path / "out.zip"
    options = ["pack", "--submission", str(folder), "--out", str(out)]
    assert main(options) == 1
    assert capsys.readouterr().err.splitlines() == [*sentences, "Nothing was packed; --force packs it all the same."]
    assert not out.exists()
    assert main([*options, "--force"]) == 0
    assert capsys.readouterr().err.splitlines() == sentences
    with zipfile.ZipFile(out) as archive:
        assert archive.namelist() == sorted({"answers.toml", "kv_allocator.py", "scheduler.py"} - {missing})


def test_wrong_usage_is_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["pack", "--submission", "nowhere"]) == 2
    assert capsys.readouterr().err == "batching_lab: --submission: there is no folder nowhere\n"
    assert main(["pack", "--submission", str(tmp_path), "--force"]) == 2
    assert capsys.readouterr().err == f"batching_lab: --submission: there is nothing to pack in {tmp_path}\n"
    assert main(["pack", "--submission", str(SOLUTION), "--out", "nowhere/x.zip"]) == 2
    assert capsys.readouterr().err == "batching_lab: --out: can't write nowhere/x.zip: No such file or directory\n"
