"""Points given by hand for the written part."""

import json
from pathlib import Path

import pytest

from grader.cli import main
from grader.selftest.helpers import ROOT, SOLUTION

TEMPLATE = (ROOT / "grader" / "report_rubric.toml").read_text(encoding="utf-8")
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
