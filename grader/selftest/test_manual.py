"""Points given by hand for the written part."""

import csv
import io
import json
from pathlib import Path

import pytest

from grader.cli import main
from grader.grading.result import PartResult, Result
from grader.paths import ROOT, SOLUTION
from grader.worker.isolation import Isolation

TEMPLATE = (ROOT / "grader" / "grading" / "report_rubric.toml").read_text(encoding="utf-8")
ONE = '[[criterion]]\nid = "a"\ntitle = "A"\nmax_points = 2\npoints = 1.5\ncomment = "Short."\n'


def grade_with(manual: Path, json_file: Path) -> int:
    return main(["grade", str(SOLUTION), "--parts", "0", "--manual", str(manual), "--json", str(json_file)])


def test_manual_points_are_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled = tmp_path / "filled.toml"
    one_and_a_half = TEMPLATE.replace('points = "?"', "points = 1.5", 1)
    filled.write_text(one_and_a_half.replace('points = "?"', "points = 2"), encoding="utf-8")
    assert grade_with(filled, tmp_path / "result.json") == 0
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert (result["score"], result["max_score"]) == (14.5, 15.0)
    assert [part["part"] for part in result["parts"]] == ["0", "report"]
    assert (result["parts"][1]["score"], result["parts"][1]["max_score"]) == (9.5, 10.0)
    assert "Part report, why_c_waited: failed. Names tick and rule" in capsys.readouterr().out


def test_the_report_has_a_question_for_each_criterion() -> None:
    lines = (ROOT / "starter" / "report.md").read_text(encoding="utf-8").splitlines()
    questions = [line for line in lines if line.startswith("## ")]
    assert len(questions) == TEMPLATE.count("[[criterion]]") == 5


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TEMPLATE, "criterion 1 (why_c_waited) has no points yet"),
        ("x = 1", "must hold [[criterion]] entries and nothing else"),
        ("x = ", "is not valid TOML"),
        (ONE.replace('id = "a"\n', ""), "criterion 1: id is missing"),
        (ONE + "bonus = 1\n", "criterion 1: bonus is not one of comment, id, max_points, points, title"),
        (ONE.replace("1.5", "2.5"), "criterion 1 (a): 2.5 points are more than the 2 there are"),
        (ONE.replace("1.5", "-1"), "criterion 1 (a): points must be a number of points, not -1"),
        (ONE.replace("1.5", "nan"), "criterion 1 (a): points must be a number of points, not nan"),
        (ONE.replace("1.5", "true"), "criterion 1 (a): points must be a number of points, not True"),
        (ONE + ONE, "two criteria have the id a"),
        ('criterion = ["a"]', "criterion 1 must be a table, [[criterion]]"),
        (ONE.replace("1.5", "0x" + "f" * 5000), "criterion 1 (a): points must be a number of points"),
        (ONE.replace("1.5", "9" * 5000), "is not valid TOML"),
        ("criterion = " + "[" * 5000, "is not valid TOML"),
    ],
)
def test_a_wrong_file_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, sentence: str
) -> None:
    manual = tmp_path / "manual.toml"
    manual.write_text(text, encoding="utf-8")
    assert grade_with(manual, tmp_path / "result.json") == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "result.json").exists()


def test_a_missing_file_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert grade_with(tmp_path / "nowhere.toml", tmp_path / "result.json") == 2
    assert "nowhere.toml: No such file or directory" in capsys.readouterr().err


# -- a class


def result_of(score: float | None = 80.0) -> Result:
    parts = [PartResult("1", "Batching", score, 90.0)] if score is not None else []
    return Result(
        "not_submitted" if score is None else "graded", "s", "sha256:ab", Isolation("full", []), score, 90.0, [], parts
    )


@pytest.fixture
def the_class(tmp_path: Path) -> Path:
    """Results of ann, bob, cleo and of dan, who handed nothing in; beside them a folder for points by hand."""
    (tmp_path / "manual").mkdir()
    (tmp_path / "results").mkdir()
    for name in ("ann", "bob", "cleo", "dan"):
        text = result_of(None if name == "dan" else 80.0).to_json()
        (tmp_path / "results" / f"{name}.json").write_text(text, encoding="utf-8")
    return tmp_path


def put(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / "manual" / f"{name}.toml").write_text(text, encoding="utf-8")


def export(folder: Path, *options: str) -> int:
    words = ["export", str(folder / "results"), "--format", "csv", "--out", str(folder / "class.csv"), *options]
    return main([*words, "--manual", str(folder / "manual")])


def rows(folder: Path) -> dict[str, dict[str, str]]:
    text = (folder / "class.csv").read_text(encoding="utf-8-sig")
    return {row["student"]: row for row in csv.DictReader(io.StringIO(text))}


def test_points_by_hand_of_a_class_are_added_by_name(the_class: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who has no file keeps the other points, who has no score gets none; each name that does not match is told."""
    put(the_class, ann=ONE, bob=ONE.replace("1.5", "2"), dan=ONE, Cleo=ONE, zoe="x = ")
    (the_class / "manual" / "._ann.toml").write_bytes(b"\0")
    assert export(the_class) == 0
    table = rows(the_class)
    assert {name: (row["score"], row["max_score"], row["part report"]) for name, row in table.items()} == {
        "ann": ("81.5", "92", "1.5"),
        "bob": ("82", "92", "2"),
        "cleo": ("80", "90", ""),
        "dan": ("", "90", ""),
    }
    assert "There are no points by hand for the report." in table["cleo"]["remark"]
    assert capsys.readouterr().err.splitlines() == [
        "grader: --manual: cleo has no points by hand, there is no file of that name",
        "grader: --manual: dan has no score, so the points by hand were not added",
        "grader: --manual: Cleo was not used, no result is of that name",
        "grader: --manual: zoe was not used, no result is of that name",
    ]


def test_broken_files_stop_the_export_and_are_all_named(the_class: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody is to get less because of a slip of the pen."""
    put(the_class, ann="x = ", bob=TEMPLATE, cleo=ONE, dan=TEMPLATE)
    assert export(the_class) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"grader: --manual: {the_class / 'manual' / 'ann.toml'} is not valid TOML: ")
    assert second.endswith("bob.toml, criterion 1 (why_c_waited) has no points yet")
    assert not (the_class / "class.csv").exists()


def test_other_criteria_than_the_others_have_are_told(the_class: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(the_class, ann=ONE, bob=ONE.replace("max_points = 2", "max_points = 20"), cleo=ONE)
    assert export(the_class) == 0
    assert "--manual: bob has other criteria or other maximum points than most\n" in capsys.readouterr().err


def test_points_by_hand_are_not_added_twice(the_class: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = result_of()
    result.add_part(PartResult("report", "Report", 1.0, 2.0))
    (the_class / "results" / "ann.json").write_text(result.to_json(), encoding="utf-8")
    put(the_class, ann=ONE)
    assert export(the_class) == 2
    assert "the result of ann has Part report already" in capsys.readouterr().err


def test_one_file_is_for_one_result(the_class: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(the_class, mine=ONE)
    words = ["--format", "csv", "--manual", str(the_class / "manual" / "mine.toml")]
    assert main(["export", str(the_class / "results" / "ann.json"), *words]) == 0
    assert "81.5" in capsys.readouterr().out
    assert main(["export", str(the_class / "results"), *words]) == 2
    assert "is one file; for 4 results a folder of NAME.toml is needed" in capsys.readouterr().err
    assert main(["export", str(the_class / "results"), "--format", "csv", "--manual", "nowhere"]) == 2
    assert "--manual: there is no file or folder nowhere" in capsys.readouterr().err
