"""`python -m grader export`: every format against a schema that is kept with its source, and what each says."""

import base64
import csv
import importlib.util
import io
import json
import os
import platform
import random
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from datetime import datetime, tzinfo
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from grader.cli import main
from grader.export.actions import actions_result
from grader.export.bundles import classroom50_bundle, gradescope_bundle
from grader.export.gradescope import gradescope_text
from grader.export.markdown import markdown
from grader.export.numbers import plain, whole_scores
from grader.gpu.flags import stage_code
from grader.grading.origin import lab_version
from grader.grading.report import GRADER_FAILED, html_report, score_table
from grader.grading.result import PartResult, Result, TestResult, load_result
from grader.proving import fakes
from grader.proving.fakes.reporter import reporter
from grader.proving.fakes.student import complete
from grader.proving.helpers import make_submission
from grader.release.build import AUTOGRADED, MANIFEST, release_files, write_files
from grader.release.leaks import find_leaks
from grader.worker.isolation import Isolation
from grader.worker.sandbox import ISOLATION_PACKAGES

SCHEMAS = Path(fakes.__file__).with_name("schemas")
STATUSES = ("passed", "failed", "error", "timeout", "not_run")
CLASSROOM50 = ["--classroom", "cs2680", "--assignment", "lab"]


def check(data: object, name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(data, schema, jsonschema.Draft202012Validator)


def all_statuses() -> Result:
    """Half points, each status, messages in several scripts and with what hurts XML, CSV and GitHub."""
    message = "Tick 3: 周 λ é 🙂 did not run.\n::error::<b>&]]>\x00\x1b[31m"
    tests = [
        TestResult(f"test_{status}", 0.5 if status == "passed" else 0.0, 0.5, status, message, 0.25)  # type: ignore[arg-type]
        for status in STATUSES
    ]
    parts = [
        PartResult("0", "Predictions", 0.5, 2.5, tests),
        PartResult("report", "Report", 2.25, 3.0, [TestResult("clear", 2.25, 3.0, "failed", "Clear. Good.", 0.0)]),
    ]
    notes = ["conftest.py was not taken: it is no part of a submission."]
    return Result("graded", "s", "sha256:ab", Isolation("full", []), 2.75, 5.5, ["6-gpu"], parts, notes)


def grader_error() -> Result:
    isolation = Isolation("weak", ["network"])
    return Result("grader_error", "s", "sha256:cd", isolation, None, 90.0, [], [], error="=the disk is\nfull")


def not_submitted() -> Result:
    isolation = Isolation("development", [])
    sentence = "There is no scheduler.py in lab/ or lab/starter/: @nobody <b>looked</b> elsewhere."
    return Result("not_submitted", "s", "", isolation, None, 0.0, [], [], error=sentence, commit="a1b2c3d" * 5)


@pytest.fixture(scope="module")
def does_not_import(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """A real run of the grader on a file with a syntax error."""
    folder = make_submission(tmp_path_factory.mktemp("s") / "s", files={"scheduler.py": "def f(:\n"})
    path = folder.parent / "result.json"
    assert main(["grade", str(folder), "--parts", "0,1", "--json", str(path), "--allow-weak-isolation"]) == 0
    return load_result(path)


@pytest.fixture
def results(tmp_path: Path, does_not_import: Result) -> Path:
    """A class of four; among the files is one that is no result."""
    folder = tmp_path / "results"
    students = {
        "ada": all_statuses(),
        "=cmd()": grader_error(),
        "Jürgen 周": does_not_import,
        "deep/result": all_statuses(),
    }
    for name, result in students.items():
        (folder / f"{name}.json").parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.json").write_text(result.to_json(), encoding="utf-8")
    (folder / "index.json").write_text('{"schema": "another"}', encoding="utf-8")
    return folder


def export_each(results: Path, name: str, *options: str) -> dict[str, str]:
    out = results.parent / "out"
    assert main(["export", str(results), "--format", name, "--out", str(out), *options]) in (0, 3)
    return {path.stem: path.read_text(encoding="utf-8") for path in out.rglob("*.json")}


def test_csv_holds_the_class(results: Path, does_not_import: Result) -> None:
    out = results.parent / "class.csv"
    assert main(["export", str(results), "--format", "csv", "--out", str(out)]) == 0
    raw = out.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbf") and raw.count(b"\r\n") == raw.count(b"\n") == 5
    rows = list(csv.DictReader(io.StringIO(raw.decode("utf-8-sig"))))
    for row in rows:
        check(row, "csv")
    by_student = {row["student"]: row for row in rows}
    assert set(by_student) == {"ada", "'=cmd()", "Jürgen 周", "deep"}
    ada = by_student["ada"]
    assert (ada["score"], ada["max_score"], ada["part 0"], ada["part report"]) == ("2.75", "5.5", "0.5", "2.25")
    failed = by_student["'=cmd()"]
    assert (failed["status"], failed["score"], failed["part 0"], failed["isolation"]) == (
        "grader_error",
        "",
        "",
        "weak",
    )
    assert failed["remark"] == "'=the disk is full"
    assert by_student["Jürgen 周"]["part 1"] == "0" and does_not_import.score == 5
    assert by_student["Jürgen 周"]["score"] == "5"


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r\n=1", "\uff1d1", "\u200b=1"])
def test_no_cell_is_a_formula(cell: str, tmp_path: Path) -> None:
    result = all_statuses()
    result.notes = [cell]
    path = tmp_path / "s.json"
    path.write_text(result.to_json(), encoding="utf-8")
    out = tmp_path / "out.csv"
    assert main(["export", str(path), "--format", "csv", "--out", str(out)]) == 0
    row = next(csv.DictReader(io.StringIO(out.read_bytes().decode("utf-8-sig"))))
    assert row["remark"].startswith("'") and "\n" not in row["remark"]


def test_gradescope(results: Path) -> None:
    files = {name: json.loads(text) for name, text in export_each(results, "gradescope").items()}
    assert len(files) == 4
    for data in files.values():
        check(data, "gradescope")
    ada = files["ada"]
    assert ada["score"] == 2.75 and sum(test["score"] for test in ada["tests"]) == 2.75
    assert {tag for test in ada["tests"] for tag in test["tags"]} == {"part 0", "part report", *STATUSES}
    assert [test["status"] for test in ada["tests"]] == ["passed", *["failed"] * 5]
    assert ada["leaderboard"][0] == {"name": "Points", "value": 2.75, "order": "desc"}
    assert "conftest.py was not taken" in ada["output"]
    failed = files["=cmd()"]
    assert "score" not in failed and "tests" not in failed and "leaderboard" not in failed
    assert failed["output"].startswith("The grader failed") and "disk" not in json.dumps(failed)
    assert "can't be imported" in files["Jürgen 周"]["tests"][-1]["output"]


def enter(results: Path, out: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """The exit status, and what scores.json holds then."""
    status = main(["export", str(results), "--format", "classroom50", "--out", str(out), *CLASSROOM50, *options])
    out = out / "scores.json" if out.is_dir() else out
    return status, json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}


def entries_of(scores: dict[str, Any], assignment: str = "lab") -> dict[str, dict[str, Any]]:
    return {entry["owner"]: entry for entry in scores["assignments"][assignment]["entries"]}


def shown_by_classroom50(entry: dict[str, Any]) -> dict[str, Any]:
    """Of an entry by hand the record that is named so, else the newest: what its pages show as the grade."""
    newest_first = sorted(entry["submissions"], key=lambda record: str(record["datetime"]), reverse=True)
    by_hand = [record for record in newest_first if record["submission"].startswith("submit/manual-")]
    shown: dict[str, Any] = (by_hand if entry.get("override") is True and by_hand else newest_first)[0]
    return shown


def collected_by_classroom50(scores: dict[str, Any], slug: str, update: dict[str, Any]) -> None:
    """What its collector does with a new submission: an entry by hand stays as it is, by the owner in small letters."""
    entries = scores["assignments"].setdefault(slug, {"type": "individual", "entries": []})["entries"]
    for number, entry in enumerate(entries):
        if entry["owner"].lower() == update["owner"].lower():
            entries[number] = entry if entry.get("override") is True else update
            return
    entries.append(update)


def pushed(owner: str, when: str, score: int = 40) -> dict[str, Any]:
    """An entry as the collector makes it of what the autograder wrote on a push."""
    names = dict.fromkeys(("commit", "release", "review"), "https://example.org/x")
    record: dict[str, Any] = {"schema": "classroom50/result/v1", "classroom": "cs2680", "owner": owner}
    record |= {"assignment_type": "individual"}
    record |= {"submission": f"submit/{when}", **names, "datetime": when, "score": score, "max-score": 90, "tests": []}
    return {"owner": owner, "email": "x@example.org", "submissions": [record]}


def scores_of(slug: str, *entries: dict[str, Any], kind: str = "individual") -> dict[str, Any]:
    bucket = {"type": kind, "entries": list(entries), "collected_at": "2026-11-01T00:00:00Z"}
    return {"schema": "classroom50/scores/v1", "assignments": {slug: bucket}}


def write_json(path: Path, data: object) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def test_classroom50_gets_entries_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the form and by the rules of its scores.json; who can't be entered is named."""
    missing = Result("not_submitted", "s", "", Isolation("development", []), None, 0.0, [], [], error="No file found.")
    results = {
        "cs2680-lab-ada": all_statuses(),
        "CS2680-Lab-Jo-Ann-2": all_statuses(),
        "cs2680-lab-eve": grader_error(),
    }
    results |= {"cs2680-lab-": all_statuses(), "cs2680-ada": all_statuses(), "Jürgen 周": all_statuses()}
    folder = write_results(tmp_path / "results", results | {"cs2680-lab-bob": missing})
    status, scores = enter(folder, tmp_path / "scores.json")
    check(scores, "classroom50_scores")
    assert status == 1 and list(entries_of(scores)) == ["Jo-Ann-2", "ada"]
    for owner, entry in entries_of(scores).items():
        (record,) = entry["submissions"]
        assert entry["override"] is True and record["owner"] == owner and "assignment" not in record
        assert (record["score"], record["max-score"]) == (2, 5)  # 2.75 of 5.5, rounded down
        assert record["score"] == sum(test["score"] for test in record["tests"])
        assert record["max-score"] == sum(test["max-score"] for test in record["tests"])
        assert all(test["score"] <= test["max-score"] for test in record["tests"])
    told = capsys.readouterr().err
    for name in ("cs2680-lab-:", "cs2680-ada:", "Jürgen 周:", "cs2680-lab-eve: The grader failed", "No file found."):
        assert name in told
    assert enter(write_results(tmp_path / "eve", {"cs2680-lab-eve": grader_error()}), tmp_path / "new.json") == (3, {})


def test_classroom50_keeps_what_is_in_scores_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = all_statuses()
    result.graded_at = "2026-11-30T14:03:00Z"
    names = ("ada", "Bob", "new", "twice")
    folder = write_results(tmp_path / "results", {f"cs2680-lab-{name}": result for name in names})
    ahead, by_hand = pushed("Ada", "2031-01-01T00:00:00Z"), pushed("bob", "2026-11-01T00:00:00Z") | {"override": True}
    twice = pushed("twice", "2026-11-01T00:00:00Z")
    old = scores_of("lab", ahead, by_hand, pushed("carol", "2026-11-01T00:00:00Z"), twice, twice)
    old["assignments"]["other"] = scores_of("other", pushed("ada", "2026-11-02T00:00:00Z"))["assignments"]["other"]
    path = write_json(tmp_path / "scores.json", old)
    status, scores = enter(folder, path)
    check(scores, "classroom50_scores")
    assert status == 1 and "Bob has a grade by hand already, which stays" in (told := capsys.readouterr().err)
    assert "scores.json holds 2 entries of twice" in told
    ada = entries_of(scores)["Ada"]
    assert ada["email"] == "x@example.org" and ada["submissions"][1:] == ahead["submissions"]
    assert shown_by_classroom50(ada)["score"] == 2 and ada["submissions"][0]["datetime"] == "2031-01-01T00:00:01Z"
    assert entries_of(scores)["bob"] == by_hand and entries_of(scores)["carol"]["submissions"][0]["score"] == 40
    assert scores["assignments"]["other"] == old["assignments"]["other"]
    assert scores["assignments"]["lab"]["collected_at"] == "2026-11-01T00:00:00Z"
    before = path.read_bytes()
    assert enter(folder, path)[0] == 1 and path.read_bytes() == before  # the same again changes nothing
    collected_by_classroom50(scores, "lab", pushed("ada", "2026-12-01T00:00:00Z", 90))
    assert entries_of(scores)["Ada"] == ada


def test_classroom50_enters_a_regrade_in_the_place_of_the_first(tmp_path: Path) -> None:
    result = all_statuses()
    result.graded_at = "2026-11-30T14:03:00Z"
    path = write_json(tmp_path / "scores.json", scores_of("lab", pushed("ada", "2026-11-01T00:00:00Z")))
    assert enter(write_results(tmp_path / "first", {"cs2680-lab-ada": result}), path)[0] == 0
    result.score, result.graded_at = 5.5, "2026-12-02T08:00:00Z"
    for part in result.parts:
        part.score = part.max_score
    status, scores = enter(write_results(tmp_path / "second", {"cs2680-lab-ada": result}), tmp_path)
    records = entries_of(scores)["ada"]["submissions"]
    assert status == 0 and [record["score"] for record in records] == [5, 40]
    assert shown_by_classroom50(entries_of(scores)["ada"])["graded_at"] == "2026-12-02T08:00:00Z"


def test_classroom50_takes_owners_from_a_roster(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Another assignment's repository looks like a login with a hyphen; the roster knows better."""
    results = {"cs2680-lab-ada": all_statuses(), "cs2680-lab-2-ada": all_statuses(), "Lovelace, A.": all_statuses()}
    folder = write_results(tmp_path / "results", results | {"bob": all_statuses()})
    roster = tmp_path / "roster.csv"
    roster.write_text(
        '\ufeffusername,role,student\r\nAda,student,\r\nbob,,\r\nal-0,,"lovelace, a."\r\n', encoding="utf-8"
    )
    status, scores = enter(folder, tmp_path / "scores.json", "--roster", str(roster))
    assert status == 1 and set(entries_of(scores)) == {"Ada", "bob", "al-0"}
    assert "cs2680-lab-2-ada: whose result this is does not follow from the roster" in capsys.readouterr().err
    folder = write_results(tmp_path / "both", {"ada": all_statuses(), "cs2680-lab-ada": all_statuses()})
    assert enter(folder, tmp_path / "new.json", "--roster", str(roster)) == (1, {})
    assert "another result is of Ada, too" in capsys.readouterr().err
    for text, sentence in (
        ("name\nada\n", "no column"),
        ("", "no rows"),
        ("username,student\na,x\nb,x\n", "two logins"),
        ("username\nada\n\n@bob\n", "line 4: '@bob' is no login"),
        ("login,name\nada lovelace,x\n", "line 2: 'ada lovelace' is no login"),
        ("username\nhttps://github.com/ada\n", "line 2: 'https://github.com/ada' is no login"),
    ):
        roster.write_text(text, encoding="utf-8")
        assert enter(folder, tmp_path / "new.json", "--roster", str(roster)) == (2, {})
        assert sentence in capsys.readouterr().err


def test_classroom50_knows_no_group_without_its_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = write_results(tmp_path / "results", {f"cs2680-lab-{name}": all_statuses() for name in ("ada", "bob")})
    group = pushed("ada", "2026-11-01T00:00:00Z") | {"member_usernames": ["ada", "eve"]}
    path = write_json(tmp_path / "scores.json", scores_of("lab", group, kind="group"))
    status, scores = enter(results, path)
    check(scores, "classroom50_scores")
    assert status == 1 and list(entries_of(scores)) == ["ada"] and "who belongs to the group" in capsys.readouterr().err
    assert entries_of(scores)["ada"]["member_usernames"] == ["ada", "eve"]
    assert entries_of(scores)["ada"]["submissions"][0]["assignment_type"] == "group"


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"schema": "classroom50/scores/v2", "assignments": {}}', '{"a": NaN}', '{"a": 1e999}',
             '{"schema": "classroom50/scores/v1", "assignments": {"lab": {"type": "individual", "entries": [1]}}}',
             '{"schema": "classroom50/scores/v1", "assignments": {"lab": []}}', "[" * 100_000,
             '{"schema": "classroom50/scores/v1", "assignments": [1]}', '[{"schema": "classroom50/scores/v1"}]',
             '{"schema": "classroom50/scores/v1", "assignments": {"x": {"a": NaN}}}',
             '{"schema": "classroom50/scores/v1", "assignments": {"x": {"a": 1, "b": 2, "a": 3}}}']
)  # fmt: skip
def test_another_file_is_not_replaced_by_scores_json(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = write_results(tmp_path / "results", {"cs2680-lab-ada": all_statuses()})
    path = tmp_path / "scores.json"
    path.write_text(text, encoding="utf-8")
    assert main(["export", str(results), "--format", "classroom50", "--out", str(path), *CLASSROOM50]) == 2
    assert path.read_text(encoding="utf-8") == text and "stays as it is" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "\n", '{"schema": "classroom50/scores/v1", "submissions": "{}"}'])
def test_a_new_classrooms_scores_json_is_filled(text: str, tmp_path: Path) -> None:
    results = write_results(tmp_path / "results", {"cs2680-lab-ada": all_statuses()})
    (tmp_path / "scores.json").write_text(text, encoding="utf-8")
    status, scores = enter(results, tmp_path / "scores.json")
    assert status == 0 and list(entries_of(scores)) == ["ada"]


def test_actions(results: Path) -> None:
    """Entries of the same worth, none of them with the status that makes the reporter leave out its name."""
    files = {name: json.loads(base64.b64decode(text)) for name, text in export_each(results, "actions").items()}
    for data in files.values():
        check(data, "actions")
    ada = files["ada"]
    report = reporter({"ada": ada})
    assert report.notice == report.total == (2, 5) and report.exit_status == 1
    lost = ["test_failed", "test_error, Part 0: test_timeout", "test_not_run, Part report: clear"]
    assert report.lines == ["passed: 1 point"] * 2 + [f"failed: 1 point lost by Part 0: {names}" for names in lost]
    assert "周" in ada["tests"][2]["message"]
    report = reporter({"failed": files["=cmd()"]})  # the reporter gives no points out of nothing
    assert report.total == report.notice == (0, 0) and report.exit_status == 1
    assert report.lines == [f"Error: {GRADER_FAILED}"]


def test_actions_without_a_submission() -> None:
    result = Result("not_submitted", "s", "k", Isolation("full", []), None, 90.0, [], [], error="No file was found.")
    report = reporter({"s": actions_result(result)})
    assert report.total == (0, 0) and report.exit_status == 1
    assert report.lines == ["Error: No file was found."]


def test_the_reporter_shows_the_points_rounded_down() -> None:
    """With fractions of points in many tests: never more than was earned, all points only to who has them all."""
    random_ = random.Random(3)
    for number in range(400):
        maxima = [random_.choice([0.1, 0.25, 0.5, 0.75, 1.0, 1.75, 2.0]) for _ in range(random_.randint(1, 120))]
        chance = random_.choice([0.0, 0.3, 0.9, 1.0])
        tests = [
            TestResult(f"t{n}", maximum if random_.random() < chance else 0.0, maximum, "passed", "", 0.0)
            for n, maximum in enumerate(maxima)
        ]
        lost = {f"Part 1: {test.id}" for test in tests if test.score < test.max_score}
        part = PartResult("1", "", sum(test.score for test in tests), sum(maxima), tests)
        result = Result("graded", "s", "k", Isolation("full", []), part.score, part.max_score, [], [part])
        report = reporter({"s": actions_result(result)})
        points, maximum = report.notice
        assert report.total[0] == pytest.approx(points, abs=1e-9)
        assert report.total[1] == maximum == int(part.max_score + 1e-6)
        assert points <= part.score + 1e-6 and (points > part.score - 1 or points == maximum - 1), number
        assert report.exit_status == bool(lost)
        if maximum:
            assert (points == maximum) == (not lost)
            assert len(report.lines) <= maximum
        names = {name for line in report.lines for name in line.partition(" lost by ")[2].split(", ") if name}
        assert names == lost


def as_data(element: ET.Element) -> dict[str, Any]:
    children = [as_data(child) for child in element]
    return {"tag": element.tag, "attributes": element.attrib, "text": element.text or "", "children": children}


def test_junit(results: Path) -> None:
    out = results.parent / "junit.xml"
    assert main(["export", str(results), "--format", "junit", "--out", str(out)]) == 0
    root = ET.fromstring(out.read_bytes())
    check(as_data(root), "junit")
    suites = {suite.attrib["name"]: suite for suite in root}
    ada = suites["ada: part 0 (0.5 of 2.5 points)"]
    assert [ada.attrib[name] for name in ("tests", "failures", "errors", "skipped")] == ["5", "1", "2", "1"]
    assert [[child.tag for child in case] for case in ada] == [[], ["failure"], ["error"], ["error"], ["skipped"]]
    failure = ada[1][0]
    assert failure.attrib["message"] == "Tick 3: 周 λ é 🙂 did not run." and "]]>" in (failure.text or "")
    failed = suites["=cmd(): grader"]
    assert failed.attrib["errors"] == "1" and failed[0][0].tag == "error"


@pytest.mark.parametrize("name", ["gradescope", "actions", "csv", "junit"])
def test_one_result_goes_to_standard_output(
    name: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "ada.json"
    path.write_text(all_statuses().to_json(), encoding="utf-8")
    assert main(["export", str(path), "--format", name]) == 0
    printed = capfdbinary.readouterr().out
    assert main(["export", str(path), "--format", name, "--out", str(tmp_path / "out")]) == 0
    assert printed == (tmp_path / "out").read_bytes() != b""


def test_whole_points_never_gain_and_hardly_lose() -> None:
    random_ = random.Random(7)
    for _ in range(300):
        maxima = [random_.choice([0.25, 0.5, 0.75, 1.0, 1.5, 3.0]) for _ in range(random_.randint(1, 12))]
        scores = [(random_.choice([0.0, maximum]), maximum) for maximum in maxima]
        whole = whole_scores(scores)
        assert all(0 <= score <= maximum for score, maximum in whole)
        assert sum(score for score, _ in whole) == int(sum(score for score, _ in scores))
        assert sum(maximum for _, maximum in whole) == int(sum(maxima))
    for _ in range(2000):  # parts, of which some of the points are given
        parts = [(random_.randint(0, 20) / 4, 5 + random_.randint(0, 3) / 4) for _ in range(random_.randint(1, 8))]
        whole = whole_scores(parts)
        assert all(0 <= score <= maximum for score, maximum in whole)
        assert not any(score for (score, _), (given, _) in zip(whole, parts, strict=True) if not given)
        assert sum(score for score, _ in whole) == int(sum(score for score, _ in parts))
    assert whole_scores([(4.75, 5), (4, 4), (1.25, 1.5)]) == [(5, 5), (4, 4), (1, 1)]
    assert whole_scores([(0.5, 0.5)] * 10) == [(0, 0), (1, 1)] * 5


def test_numbers_have_no_exponent() -> None:
    assert [plain(value) for value in (0.0, 2.5, 90.0, 1e-7, 33.33333)] == ["0", "2.5", "90", "0", "33.3333"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "can't be read as JSON"),
        ("[]", "is no result of the grader"),
        ('{"schema": "batching-lab/result/v1"}', "is no result of the grader: KeyError 'status'"),
    ],
)
def test_a_file_that_is_no_result(text: str, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.json").write_text(text, encoding="utf-8")
    assert main(["export", str(tmp_path / "s.json"), "--format", "csv"]) == 2
    assert sentence in capsys.readouterr().err


def test_a_forged_number_is_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in ("NaN", "1e999", '"90"', "true"):
        text = all_statuses().to_json().replace('"score": 2.75', f'"score": {number}')
        (tmp_path / "s.json").write_text(text, encoding="utf-8")
        assert main(["export", str(tmp_path / "s.json"), "--format", "gradescope"]) == 2
        assert "where a number should be" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "export needs RESULTS and --format"),
        (["nowhere", "--format", "csv"], "there is no file or folder nowhere"),
        (["{empty}", "--format", "csv"], "holds no result of the grader"),
        (["{results}", "--format", "actions"], "--format actions needs --out"),
        (["{results}", "--format", "classroom50", "--classroom", "c"], "needs --classroom and --assignment"),
        (["{results}", "--format", "classroom50", "--classroom", "c1", "--assignment", "A b"], "none of small letters"),
        (["--bundle", "gradescope"], "--bundle needs --out"),
        (["{results}", "--bundle", "classroom50", "--out", "{empty}"], "--bundle needs --out"),
        (["--bundle", "classroom50", "--out", "{results}"], "is not an empty folder"),
    ],
)
def test_wrong_usage_is_one_sentence(
    options: list[str], sentence: str, results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    words = [option.format(results=results, empty=tmp_path / "empty") for option in options]
    assert main(["export", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("grader: ") and sentence in error and error.count("\n") == 1


# Bundles


def test_the_classroom50_bundle_holds_nothing_hidden(tmp_path: Path) -> None:
    write_files(classroom50_bundle(), tmp_path / "bundle")
    assert find_leaks(tmp_path / "bundle") == []


def test_the_classroom50_autograder_grades(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the installation of pytest, which the test of a student's path does once."""
    bundle = tmp_path / "bundle"
    write_files(classroom50_bundle(), bundle)
    checkout = tmp_path / "checkout"
    (checkout / "starter").mkdir(parents=True)
    complete(checkout)
    (checkout / "starter" / "answers.toml").unlink()
    (checkout / "result.json").write_text("forged", encoding="utf-8")
    place = "https://example.org/x"
    names = ("COMMIT_URL", "RELEASE_URL", "REVIEW_URL")
    values = {"CLASSROOM": "cs2680", "ASSIGNMENT": "lab", "SUBMISSION_TAG": "submit/1", "OWNER": "ada"}
    for name, value in {**values, **dict.fromkeys(names, place)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(checkout)
    module = load_autograder(bundle, monkeypatch)
    grade_parts = module.autograde.grade
    monkeypatch.setattr(module.autograde, "grade", lambda parts, folder, root, _: grade_parts(parts, folder, root))
    monkeypatch.setattr(module.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 0))
    assert module.main() == 0
    data = json.loads((checkout / "result.json").read_text(encoding="utf-8"))
    check(data, "classroom50")
    by_part = {test["test-name"].split(":")[0]: test["score"] for test in data["tests"]}
    assert by_part == {f"Part {part}": 0 if part == "0" else points for part, (_, points) in AUTOGRADED.items()}
    assert (checkout / "release-body.md").read_text(encoding="utf-8").startswith("# 85 of 90 points")
    assert data["owner"] == "ada"
    for name in ("CLASSROOM", "OWNER"):
        with monkeypatch.context() as without:
            without.delenv(name)
            assert module.main() == 1


def load_autograder(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """autograder.py of the bundle, with the autograde.py beside it."""
    monkeypatch.syspath_prepend(str(bundle))
    monkeypatch.delitem(sys.modules, "autograde", raising=False)
    spec = importlib.util.spec_from_file_location("autograder", bundle / "autograder.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("fault", ["pytest does not start", "no lab.zip", "pytest can't be installed"])
def test_a_fault_of_the_classroom50_autograder_is_no_result(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A result.json that a student has put there is none either."""
    bundle, checkout = tmp_path / "bundle", tmp_path / "checkout"
    write_files(classroom50_bundle(), bundle)
    (checkout / "starter").mkdir(parents=True)
    complete(checkout)
    (checkout / "result.json").mkdir()
    for name in ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL", "OWNER"):
        monkeypatch.setenv(name, "x")
    monkeypatch.chdir(checkout)
    module = load_autograder(bundle, monkeypatch)
    if fault == "no lab.zip":
        (bundle / "lab.zip").unlink()
    status = int(fault == "pytest can't be installed")
    monkeypatch.setattr(module.subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], status))
    assert module.main() == 1
    assert not (checkout / "result.json").exists()
    error = capsys.readouterr().err
    assert error.startswith("::error::") and error.count("\n") == 1
    cause = {"pytest does not start": "No module named 'pytest'", "no lab.zip": "lab.zip"}.get(fault, fault)
    assert cause in error


def test_the_gradescope_bundle_grades(tmp_path: Path) -> None:
    """The zip's own modules on a submission; setup.sh and Gradescope itself are not run."""
    root = tmp_path / "autograder"
    (root / "results").mkdir(parents=True)
    with zipfile.ZipFile(io.BytesIO(gradescope_bundle(allow_weak_isolation=True))) as archive:
        archive.extractall(root / "source")
        names = archive.namelist()
        assert archive.getinfo("run_autograder").external_attr >> 16 == 0o755
        assert b"\r" not in archive.read("setup.sh") + archive.read("run_autograder")
        installed = {line.partition("==")[0] for line in archive.read("requirements.txt").decode().splitlines()}
    assert installed == {"pytest", "pytest-timeout", *ISOLATION_PACKAGES}
    assert not [name for name in names if "solution" in name or "selftest" in name or "wrong" in name]
    line = (root / "source" / "run_autograder").read_text(encoding="utf-8").splitlines()[-1].split()
    assert line[:3] == ["exec", "/autograder/venv/bin/python", "-P"] and line[-1] == "--allow-weak-isolation"
    (root / "submission" / "starter").mkdir(parents=True)
    complete(root / "submission")
    (root / "submission" / "starter" / "scheduler.py").write_text("def f(:\n", encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(root / "source" / "starter"), str(root / "source")]),
    }
    command = [sys.executable, *line[2:-2], str(root), line[-1]]

    def run() -> dict[str, Any]:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        data: dict[str, Any] = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
        check(data, "gradescope")
        assert str(tmp_path) not in json.dumps(data)
        return {**data, "stdout": done.stdout}

    data = run()
    assert data["score"] == 20, data["stdout"]  # Parts 0 and 2
    assert f"Graded with Python {platform.python_version()}, lab {lab_version()}." in data["output"]
    (root / "source" / "grader" / "rubric.toml").write_text("broken", encoding="utf-8")
    data = run()
    assert "score" not in data and data["output"].startswith("The grader failed")


@pytest.mark.parametrize("name", ["setup.sh", "run_autograder"])
def test_scripts_are_shell(name: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(gradescope_bundle(allow_weak_isolation=False))) as archive:
        (tmp_path / name).write_bytes(archive.read(name))
    bash = "bash"
    try:
        done = subprocess.run([bash, "-n", str(tmp_path / name)], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("there is no bash")
    assert done.returncode == 0, done.stderr


def stage_result(key: str, **about: Any) -> Result:
    """What `gpu --json` writes for a submission with this key."""
    tests = [
        TestResult("gpu_right", 2.0, 2.0, "passed", "", 3.0),
        TestResult("gpu_long_short", 1.5, 4.0, "failed", "", 9.0),
    ]
    gpu = {"rehearsal": False, "code": stage_code(), "flags": [], **about}
    part = PartResult("6-gpu", "On CUDA", 3.5, 6.0, tests)
    return Result("graded", "s", key, Isolation("full", []), 3.5, 6.0, ["0", "report"], [part], gpu=gpu)


def write_results(folder: Path, results: dict[str, Result]) -> Path:
    folder.mkdir()
    for name, result in results.items():
        (folder / f"{name}.json").write_text(result.to_json(), encoding="utf-8")
    return folder


def test_the_gpu_stages_points_are_added_by_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded = write_results(tmp_path / "graded", {"ann": all_statuses(), "bob": all_statuses(), "eve": grader_error()})
    for name, key in (("bob", "sha256:bb"),):
        data = json.loads((graded / f"{name}.json").read_text(encoding="utf-8")) | {"key": key}
        (graded / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    gpu = write_results(
        tmp_path / "gpu",
        {
            "ann": stage_result("sha256:ab", flags=["noisy: tight-pool"]),
            "eve": stage_result("sha256:cd"),
            "old": stage_result("sha256:old"),
        },
    )
    out = tmp_path / "class.csv"
    assert main(["export", str(graded), "--gpu", str(gpu), "--format", "csv", "--out", str(out)]) == 0
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(out.read_text(encoding="utf-8-sig")))}
    assert (rows["ann"]["score"], rows["ann"]["max_score"], rows["ann"]["part 6-gpu"]) == ("6.25", "11.5", "3.5")
    assert rows["ann"]["not_run"] == "" and "GPU stage, flagged: noisy: tight-pool." in rows["ann"]["remark"]
    assert (rows["bob"]["score"], rows["bob"]["part 6-gpu"], rows["bob"]["not_run"]) == ("2.75", "", "6-gpu")
    assert "The GPU stage has no result of this submission." in rows["bob"]["remark"]
    assert (rows["eve"]["status"], rows["eve"]["score"]) == ("grader_error", "")
    assert capsys.readouterr().err == (
        "grader: 1 of 3 get no points of the GPU stage: bob\n"
        "grader: the GPU stage's result of old was not used: no result has its key (another submission, or another "
        "version of the lab)\n"
    )


def test_who_handed_in_the_same_files_keeps_the_own_time(tmp_path: Path) -> None:
    graded = write_results(tmp_path / "graded", {"ann": all_statuses(), "bob": all_statuses(), "cleo": all_statuses()})
    slower = stage_result("sha256:ab")
    slower.parts[0].score = slower.score = 2.0
    gpu = write_results(tmp_path / "gpu", {"ann": stage_result("sha256:ab"), "bob": slower})
    out = tmp_path / "class.csv"
    assert main(["export", str(graded), "--gpu", str(gpu), "--format", "csv", "--out", str(out)]) == 0
    rows = {row["student"]: row for row in csv.DictReader(io.StringIO(out.read_text(encoding="utf-8-sig")))}
    assert [rows[name]["part 6-gpu"] for name in ("ann", "bob", "cleo")] == ["3.5", "2", "3.5"]


@pytest.mark.parametrize(
    ("of_gpu", "sentence"),
    [
        (
            stage_result("sha256:ab", rehearsal=True),
            "the result of ann is a rehearsal on the CPU, which gives no points",
        ),
        (all_statuses(), "the result of ann is not one of the GPU stage"),
    ],
)
def test_what_is_no_result_of_the_gpu_stage_is_refused(
    of_gpu: Result, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graded = write_results(tmp_path / "graded", {"ann": all_statuses()})
    gpu = write_results(tmp_path / "gpu", {"ann": of_gpu})
    assert main(["export", str(graded), "--gpu", str(gpu), "--format", "csv"]) == 2
    assert sentence in capsys.readouterr().err


def test_points_are_not_added_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gpu = write_results(tmp_path / "gpu", {"ann": stage_result("sha256:ab")})
    assert main(["export", str(gpu), "--gpu", str(gpu), "--format", "csv"]) == 2
    assert "has Part 6-gpu already" in capsys.readouterr().err


def test_a_failed_gpu_stage_leaves_the_part_not_run(tmp_path: Path) -> None:
    graded = write_results(tmp_path / "graded", {"ann": all_statuses()})
    failed = Result(
        "grader_error",
        "s",
        "sha256:ab",
        Isolation("full", []),
        None,
        6.0,
        [],
        [],
        error="CUDA",
        gpu={"rehearsal": False, "flags": []},
    )
    gpu = write_results(tmp_path / "gpu", {"ann": failed})
    out = tmp_path / "class.csv"
    assert main(["export", str(graded), "--gpu", str(gpu), "--format", "csv", "--out", str(out)]) == 0
    text = out.read_text(encoding="utf-8-sig")
    assert "must be run again on this submission: it failed." in text and "2.75" in text and "6-gpu" in text


@pytest.mark.parametrize("flag", ["quick", "no room: long-short", "impossible time: tight-pool"])
def test_a_time_that_is_no_grade_gives_no_points(flag: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded = write_results(tmp_path / "graded", {"ann": all_statuses(), "bob": all_statuses()})
    gpu = write_results(tmp_path / "gpu", {"ann": stage_result("sha256:ab", flags=[flag])})
    assert main(["export", str(graded), "--gpu", str(gpu), "--format", "csv"]) == 0
    told = capsys.readouterr()
    assert f"The GPU stage must be run again on this submission: {flag}." in told.out
    assert told.err == "grader: 2 of 2 get no points of the GPU stage: ann, bob\n"


@pytest.mark.parametrize("code", ["sha256:older", None])
def test_a_time_of_other_code_gives_no_points(
    code: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The key tells nothing of the code that times; a result of before this code was noted has none."""
    graded = write_results(tmp_path / "graded", {"ann": all_statuses()})
    of_gpu = stage_result("sha256:ab", code=code)
    if code is None:
        assert of_gpu.gpu is not None
        del of_gpu.gpu["code"]
    gpu = write_results(tmp_path / "gpu", {"ann": of_gpu})
    assert main(["export", str(graded), "--gpu", str(gpu), "--format", "csv"]) == 0
    told = capsys.readouterr()
    assert "must be run again on this submission: timed by another version of the stage." in told.out
    assert told.err == "grader: 1 of 1 get no points of the GPU stage: ann\n"


def test_a_flag_that_somebody_wrote_by_hand_stops_no_export(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded = write_results(tmp_path / "graded", {"ann": all_statuses()})
    gpu = write_results(tmp_path / "gpu", {"ann": stage_result("sha256:ab", flags=["busy: looked at"])})
    assert main(["export", str(graded), "--gpu", str(gpu), "--format", "csv"]) == 0
    told = capsys.readouterr()
    assert "GPU stage, flagged: busy: looked at." in told.out and told.err == ""


def test_results_of_different_gpus_are_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded = write_results(tmp_path / "graded", {"ann": all_statuses()})
    one, other = (stage_result("sha256:ab", about={"GPU": name, "driver_version": name}) for name in ("T4", "H200"))
    gpu = write_results(tmp_path / "gpu", {"ann": one, "bob": other})
    assert main(["export", str(graded), "--gpu", str(gpu), "--format", "csv"]) == 0
    assert capsys.readouterr().err == "grader: the GPU stage's results come from different GPUs, models or versions\n"


# A folder of results with something else in it


def export_csv(results: Path, *options: str) -> tuple[int, dict[str, dict[str, str]]]:
    """The exit status, and the lines by student."""
    out = results.parent / "class.csv"
    status = main(["export", str(results), "--format", "csv", "--out", str(out), *options])
    rows = csv.DictReader(io.StringIO(out.read_text(encoding="utf-8-sig"))) if out.exists() else []
    return status, {row["student"]: row for row in rows}


WHOLE = all_statuses().to_json()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"  \n", "is empty"),
        (WHOLE[:900].encode(), "can't be read as JSON"),
        (b"\xff\xfe\xfa not UTF-8", "can't be read as JSON"),
        (b"[" * 200_000, "can't be read as JSON"),
        (WHOLE.replace('"score": 2.75', '"score": NaN').encode(), "nan where a number should be"),
        (WHOLE.replace('"score": 2.75', '"score": 1' + "0" * 400).encode(), "OverflowError"),
        (WHOLE.replace('"score": 2.75', '"score": 1' + "0" * 5000).encode(), "can't be read as JSON"),
        (WHOLE.replace("result/v1", "result/v2").encode(), "another version of the grader: batching-lab/result/v2"),
        (WHOLE.replace('"schema": "batching-lab/result/v1",', "").encode(), "KeyError 'schema'"),
        (WHOLE.replace('"status": "graded"', '"status": "lost"').encode(), "another schema or status"),
        (WHOLE.replace('"level": "full"', '"level": {}').encode(), "is no result of the grader"),
        (WHOLE.replace('"notes": [', '"gpu": {}, "notes": [').encode(), "KeyError 'rehearsal'"),
        (WHOLE.replace('"parts": [', '"parts": 1, "other": [').encode(), "TypeError"),
    ],
)  # fmt: skip
def test_one_broken_file_costs_nobody_else(
    content: bytes, why: str, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (results / "broken one.json").write_bytes(content)
    status, rows = export_csv(results)
    told = capsys.readouterr().err
    assert status == 1 and set(rows) == {"ada", "'=cmd()", "Jürgen 周", "deep"}
    (line,) = [line for line in told.splitlines() if "broken one.json" in line]
    assert line.startswith("grader: ") and why in line and line.endswith("; no result of broken one was read")
    assert main(["export", str(results / "broken one.json"), "--format", "csv"]) == 2


def test_other_json_is_mentioned_and_no_more(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in {"package": '{"name": "x"}', "list": "[1, 2]", "number": "3", "other": '{"schema": 7}'}.items():
        (results / f"{name}.json").write_text(text, encoding="utf-8")
    (results / "._ada.json").write_bytes(b"\x00\x05\x16\x07 Mac OS X")
    (results / ".ada.json.tmp_0123").write_text("{", encoding="utf-8")  # ada.json is whole
    status, rows = export_csv(results)
    told = capsys.readouterr().err
    assert status == 0 and len(rows) == 4
    lines = [line for line in told.splitlines() if line.startswith("grader: skipped: ")]
    assert len(lines) == 1 and all(name in lines[0] for name in ("index.json", "package.json", "other.json", "._ada"))


def test_what_is_no_plain_file_is_named(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pipe is not waited for; a result that was not written to its end is missed."""
    (results / "folder.json").mkdir()
    (results / "gone.json").symlink_to("nowhere")
    (results / "loop.json").symlink_to("loop.json")
    (results / ".half.json.abc_0123").write_text("{", encoding="utf-8")
    if hasattr(os, "mkfifo"):
        os.mkfifo(results / "pipe.json")
    (results / "linked.json").symlink_to("ada.json")
    (results / ".x.json").write_text(WHOLE, encoding="utf-8")  # of a repository named .x
    (results / "more.json").mkdir()
    (results / "more.json" / "result.json").write_text(WHOLE, encoding="utf-8")
    status, rows = export_csv(results)
    told = capsys.readouterr().err
    assert status == 1 and set(rows) == {"ada", "'=cmd()", "Jürgen 周", "deep", "linked", ".x", "more.json"}
    names = ["folder", "gone", "loop", "half", *(["pipe"] if hasattr(os, "mkfifo") else [])]
    assert all(f"; no result of {name} was read\n" in told for name in names)


def test_a_file_that_must_not_be_read_is_named(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "ada.json":
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    status, rows = export_csv(results)
    assert status == 1 and set(rows) == {"'=cmd()", "Jürgen 周", "deep"}
    assert "ada.json can't be read: Permission denied; no result of ada was read" in capsys.readouterr().err


def test_two_results_of_one_student_are_not_chosen_between(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (results / "b").mkdir()
    (results / "b" / "ada.json").write_text(WHOLE, encoding="utf-8")
    status, rows = export_csv(results)
    assert status == 0 and rows["ada"]["score"] == "2.75"  # the same twice
    (results / "b" / "ada.json").write_text(WHOLE.replace('"score": 2.75', '"score": 5'), encoding="utf-8")
    status, rows = export_csv(results)
    told = capsys.readouterr().err
    assert status == 1 and set(rows) == {"'=cmd()", "Jürgen 周", "deep"}
    assert "are results of the same student that differ; no result of ada was read" in told


def test_nothing_but_broken_files_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "ada.json").write_text("{", encoding="utf-8")
    assert export_csv(tmp_path / "r") == (2, {})
    told = capsys.readouterr().err
    assert "no result of ada was read" in told and "holds no result of the grader" in told


@pytest.mark.parametrize("name", ["csv", "junit", "gradescope", "actions"])
def test_what_is_no_unicode_is_written_all_the_same(name: str, tmp_path: Path) -> None:
    """Half of a surrogate pair in a message, and a file name that is no UTF-8."""
    (tmp_path / "results").mkdir()
    text = WHOLE.replace("conftest.py was not", "\\ud800 was not")
    path = os.fsencode(tmp_path / "results") + b"/na\xefve.json"
    try:
        with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
            file.write(text)
    except OSError:
        pytest.skip("this file system takes UTF-8 only")
    assert main(["export", str(tmp_path / "results"), "--format", name, "--out", str(tmp_path / "out")]) == 0


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    for name, encoding in (("ada", "utf-8-sig"), ("bob", "utf-16")):  # as Windows' editors and PowerShell write
        (tmp_path / "results" / f"{name}.json").write_text(WHOLE, encoding=encoding)
    status, rows = export_csv(tmp_path / "results")
    assert status == 0 and set(rows) == {"ada", "bob"}


def test_a_broken_file_of_the_gpu_stage_costs_nobody_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded = write_results(tmp_path / "graded", {"ann": all_statuses(), "bob": all_statuses(), "no": not_submitted()})
    gpu = write_results(tmp_path / "gpu", {"ann": stage_result("sha256:ab")})
    (gpu / "bob.json").write_text("{", encoding="utf-8")
    status, rows = export_csv(graded, "--gpu", str(gpu))
    assert status == 1 and rows["ann"]["part 6-gpu"] == "3.5" and rows["no"]["remark"].startswith("There is no")
    assert "bob.json can't be read as JSON" in capsys.readouterr().err


# Nothing was handed in


def test_not_submitted_is_no_zero_and_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = not_submitted()
    folder = write_results(tmp_path / "results", {"cs2680-lab-ada": result})
    status, rows = export_csv(folder)
    row = rows["cs2680-lab-ada"]
    check(row, "csv")
    assert status == 0 and (row["status"], row["score"]) == ("not_submitted", "")
    assert row["remark"].startswith("There is no scheduler.py") and row["commit"] == "a1b2c3d" * 5
    (told,) = export_each(folder, "gradescope").values()
    check(data := json.loads(told), "gradescope")
    assert "score" not in data and "tests" not in data and data["output"].splitlines()[0] == result.error
    assert (data["visibility"], data["extra_data"]["status"]) == ("visible", "not_submitted")
    (told,) = export_each(folder, "actions").values()
    check(data := json.loads(base64.b64decode(told)), "actions")
    assert (data["status"], data["max_score"], data["tests"][0]["message"]) == ("error", 0, result.error)
    assert data["tests"][0]["status"] == "error" and data["tests"][0]["score"] == 0
    assert enter(folder, tmp_path / "scores.json") == (3, {})
    assert "cs2680-lab-ada: There is no scheduler.py" in capsys.readouterr().err
    assert main(["export", str(folder), "--format", "junit", "--out", str(tmp_path / "junit.xml")]) == 0
    root = ET.fromstring((tmp_path / "junit.xml").read_bytes())
    check(as_data(root), "junit")
    assert root[0].attrib["errors"] == "1" and root[0][0][0].attrib["type"] == "not_submitted"
    assert "**No score.** There is no scheduler.py" in markdown(result) and "@nobody" not in markdown(result)
    assert "&lt;b&gt;looked&lt;/b&gt;" in html_report(result) and "not your fault" not in html_report(result)
    for text in (markdown(result), html_report(result), gradescope_text(result)):
        assert "Looked at: commit a1b2c3d." in text
    assert "there is no score. There is no scheduler.py" in score_table(result)


# Where a result comes from


def with_origin() -> Result:
    result = all_statuses()
    result.commit, result.commit_time = "abc1234" + "0" * 33, "2026-11-30T14:03:00Z"
    result.graded_at, result.lab, result.python = "2026-12-01T09:00:00Z", "1a2b3c4d5e6f", "3.12.3"
    return result


def test_feedback_and_csv_say_where_a_result_comes_from(tmp_path: Path) -> None:
    result = with_origin()
    sentence = "Graded with Python 3.12.3, lab 1a2b3c4d5e6f, commit abc1234 of 2026-11-30 14:03 UTC."
    for text in (score_table(result), markdown(result), html_report(result), gradescope_text(result)):
        assert text.count(sentence) == 1
    _, rows = export_csv(write_results(tmp_path / "results", {"ada": result, "old": all_statuses()}))
    assert list(rows["ada"].values())[-5:] == [
        *(result.commit, result.commit_time, result.graded_at, result.lab, result.python)
    ]
    assert list(rows["ada"])[-6:] == ["remark", "commit", "commit_time", "graded_at", "lab", "python"]
    assert list(rows["old"].values())[-5:] == [""] * 5
    for row in rows.values():
        check(row, "csv")
    result.commit_time = None
    assert "lab 1a2b3c4d5e6f, commit abc1234." in score_table(result)
    assert "Graded with" not in score_table(all_statuses())


def test_a_result_without_these_keys_is_read(tmp_path: Path) -> None:
    keys = ("commit", "commit_time", "graded_at", "lab", "python")
    data = {key: value for key, value in json.loads(with_origin().to_json()).items() if key not in keys}
    assert load_result(write_json(tmp_path / "old.json", data)) == all_statuses()
    assert load_result(write_json(tmp_path / "new.json", json.loads(with_origin().to_json()))) == with_origin()
    assert load_result(write_json(tmp_path / "odd.json", data | {"commit": 7, "lab": ["x"]})) == all_statuses()


def test_the_labs_version_is_the_releases() -> None:
    assert lab_version() == json.loads(release_files()[MANIFEST])["version"]


def test_a_part_that_was_not_run_is_told_once_for_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = all_statuses()
    result.not_run = ["6-cpu", "6-gpu"]
    result.about_machine = ["Part 6-cpu can't be run here: it needs torch (pip install -e '.[model]')."]
    students = {f"student{number}": result for number in range(30)}
    status, rows = export_csv(write_results(tmp_path / "results", students | {"ann": all_statuses()}))
    assert status == 0 and not [row for row in rows.values() if "can't be run" in row["remark"]]
    assert rows["student3"]["not_run"] == "6-cpu 6-gpu"
    sentence = "Part 6-cpu was not run for 30 of 31; it is not in their maximum, either"
    assert capsys.readouterr().err == f"grader: {sentence}\n"
    old = json.loads(result.to_json()) | {"notes": result.about_machine}  # as it was written before
    (tmp_path / "old").mkdir()
    for name in ("ann", "bob"):
        write_json(tmp_path / "old" / f"{name}.json", old)
    status, rows = export_csv(tmp_path / "old")
    assert status == 0 and not [row for row in rows.values() if row["remark"]]
    assert capsys.readouterr().err.count("Part 6-cpu can't be run here: it needs torch") == 1
    assert "can't be run here" in score_table(result)
    for text in (markdown(result), html_report(result), gradescope_text(result), result.to_json()):
        assert "can't be run here" not in text


# An export loses nothing


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "words",
    [
        ["ln", "--format", "gradescope", "--out", "ln"],
        ["ln", "--format", "actions", "--out", "ln"],
        ["ln", "--format", "gradescope", "--out", "gpu/../ln"],
        ["ln", "--format", "gradescope", "--out", "link"],
        ["ln", "--format", "gradescope", "--out", "ln/sub"],
        ["ln", "--format", "gradescope", "--gpu", "gpu", "--out", "gpu"],
        ["ln/sub", "--format", "actions", "--gpu", "gpu/cleo.json", "--out", "gpu"],
        ["ln/ann.json", "--format", "gradescope", "--out", "ln/ann.json"],
        ["ln/ann.json", "--format", "actions", "--out", "linked.json"],
        ["ln/ann.json", "--format", "csv", "--manual", "manual/ann.toml", "--out", "manual/ann.toml"],
        ["ln", "--format", "csv", "--out", "ln/ann.json"],
        ["ln", "--format", "csv", "--out", "ln/sub/cleo.json"],
        ["ln", "--format", "csv", "--out", "ln/broken.json"],
        ["ln", "--format", "junit", "--gpu", "gpu", "--out", "gpu/cleo.json"],
        ["ln", "--format", "csv", "--manual", "manual", "--out", "manual/ann.toml"],
        ["--bundle", "gradescope", "--out", "ln/ann.json"],
        ["ln", "--format", "classroom50", *CLASSROOM50, "--out", "ln/ann.json"],
        ["ln", "--format", "classroom50", *CLASSROOM50, "--roster", "roster.csv", "--out", "roster.csv"],
    ],
)
def test_no_export_overwrites_what_it_reads(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """However its place is named; nothing at all is written then."""
    monkeypatch.chdir(tmp_path)
    result = all_statuses()
    result.parts.pop()  # the report, whose points come by hand
    write_results(tmp_path / "ln", {"ann": result, "bob": result, "cs2680-lab-eve": result})
    write_results(tmp_path / "ln" / "sub", {"cleo": result})
    (tmp_path / "ln" / "broken.json").write_text(WHOLE[:900], encoding="utf-8")
    write_results(tmp_path / "gpu", {"cleo": stage_result("sha256:ab")})
    (tmp_path / "manual").mkdir()
    rubric = '[[criterion]]\nid = "a"\ntitle = "A"\nmax_points = 5\npoints = 4\ncomment = ""\n'
    (tmp_path / "manual" / "ann.toml").write_text(rubric, encoding="utf-8")
    (tmp_path / "roster.csv").write_text("username\nann\n", encoding="utf-8")
    (tmp_path / "link").symlink_to("ln", target_is_directory=True)
    (tmp_path / "linked.json").symlink_to("ln/ann.json")
    before = content_of(tmp_path)
    assert main(["export", *words]) == 2
    assert content_of(tmp_path) == before
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("grader: ") and words[-1].split("/")[-1] in last


def test_an_export_may_lie_beside_the_results(tmp_path: Path) -> None:
    """What is no result there may be written again."""
    folder = write_results(tmp_path / "results", {"ann": all_statuses()})
    for _ in range(2):
        assert main(["export", str(folder), "--format", "csv", "--out", str(folder / "class.csv")]) == 0
        assert main(["export", str(folder), "--format", "gradescope", "--out", str(folder / "gradescope")]) == 0
    assert (folder / "ann.json").read_text(encoding="utf-8") == WHOLE


def test_one_file_that_cannot_be_written_costs_nobody_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    long = "n" * 245  # the file's name is as long as most systems take
    folder = write_results(tmp_path / "results", {name: all_statuses() for name in ("ann", "bob", long, "zoe")})
    (tmp_path / "out" / "bob.json").mkdir(parents=True)
    assert main(["export", str(folder), "--format", "gradescope", "--out", str(tmp_path / "out")]) == 1
    assert {"ann", "zoe"} <= {path.stem for path in (tmp_path / "out").iterdir() if path.is_file()}
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("grader: bob: can't write")]
    assert line.endswith("Is a directory") or os.name == "nt"
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert main(["export", str(folder), "--format", "gradescope", "--out", str(tmp_path / "file")]) == 2
    assert capsys.readouterr().err.count("can't write") == 1


def test_a_long_name_that_was_not_written_to_its_end_is_missed(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The name of the half-written file holds the start of it only."""
    lost, whole = "l" * 120, "w" * 120
    (results / f".{lost[:100]}.abc_0123").write_text("{", encoding="utf-8")
    (results / f".{whole[:100]}.abc_0123").write_text("{", encoding="utf-8")
    (results / f"{whole}.json").write_text(WHOLE, encoding="utf-8")
    status, rows = export_csv(results)
    told = capsys.readouterr().err
    assert status == 1 and whole in rows
    assert told.count("was not written to its end") == 1 and f"no result of {lost[:100]}" in told


def test_a_key_that_stands_twice_is_a_broken_file(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    twice = WHOLE.replace('"score": 2.75', '"score": 5.5, "score": 0')
    inner = WHOLE.replace('"score": 2.25', '"score": 3.0, "score": 0')
    for name, text in {"twice": twice, "inner": inner}.items():
        (results / f"{name}.json").write_text(text, encoding="utf-8")
    status, rows = export_csv(results)
    told = capsys.readouterr().err
    assert status == 1 and len(rows) == 4
    for name in ("twice", "inner"):
        sentence = f"{name}.json can't be read as JSON: the key 'score' stands twice in one place; no result of {name}"
        assert sentence in told


def test_names_that_are_the_same_login_are_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = all_statuses()
    other.score = 5.5
    folder = write_results(tmp_path / "results", {"ann": all_statuses(), "bob": all_statuses()})
    assert export_csv(folder)[0] == 0 and capsys.readouterr().err == ""
    if (folder / "ANN.json").exists():
        pytest.skip("this file system ignores case")
    (folder / "ANN.json").write_text(other.to_json(), encoding="utf-8")
    status, rows = export_csv(folder)
    assert status == 0 and len(rows) == 3
    assert "ANN and ann differ in capital letters only, which a login ignores" in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("name", ["csv", "actions"])
def test_a_full_disk_behind_standard_output_is_said(name: str, tmp_path: Path) -> None:
    path = tmp_path / "ann.json"
    path.write_text(WHOLE, encoding="utf-8")
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        command = [sys.executable, "-m", "grader", "export", str(path), "--format", name]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "grader: can't write standard output: No space left on device\n")


def test_a_place_on_the_graders_machine_is_in_no_export(tmp_path: Path) -> None:
    """Also where an older grader, or another program, wrote it into the result."""
    sentence = "can't start /usr/local/lab/worker/main.py"
    for status in ("grader_error", "not_submitted"):
        data = json.loads(grader_error().to_json()) | {"status": status, "error": sentence}
        folder = tmp_path / status
        folder.mkdir()
        write_json(folder / "ann.json", data)
        for name in ("csv", "junit", "gradescope", "actions"):
            out = tmp_path / f"{status}.{name}"
            assert main(["export", str(folder / "ann.json"), "--format", name, "--out", str(out)]) == 0
            text = out.read_text(encoding="utf-8")
            assert "/usr/local" not in (text if name != "actions" else base64.b64decode(text).decode())
            assert "can't start main.py" in text or name in ("gradescope", "actions")


# Odd entries of scores.json


@pytest.mark.parametrize("when", ["9999-12-31T23:59:59Z", "9999-12-31T23:59:59-05:00", "9999-12-31T23:59:59"])
def test_one_date_at_the_end_of_the_calendar_costs_nobody_else(
    when: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("ann", "bob")
    folder = write_results(tmp_path / "results", {f"cs2680-lab-{name}": all_statuses() for name in names})
    odd = {"owner": "ann", "submissions": [{"datetime": when}]}
    status, scores = enter(folder, write_json(tmp_path / "scores.json", scores_of("lab", odd)))
    assert status == 1 and entries_of(scores)["ann"] == odd
    assert entries_of(scores)["bob"]["submissions"][0]["score"] == 2
    assert "cs2680-lab-ann: the time of a submission of ann" in capsys.readouterr().err


def test_a_grading_time_beyond_the_calendar_costs_nobody_else(tmp_path: Path) -> None:
    result = all_statuses()
    result.graded_at = "9999-12-31T23:59:59-05:00"
    folder = write_results(tmp_path / "results", {"cs2680-lab-ann": result, "cs2680-lab-bob": all_statuses()})
    status, scores = enter(folder, tmp_path / "scores.json")
    assert status == 1 and set(entries_of(scores)) == {"bob"}


def test_the_same_results_without_a_time_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older results lack it; other points are a new grade."""

    class Later(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Later":
            return cls(2040, 1, 1, tzinfo=tz)

    folder = write_results(tmp_path / "first", {"cs2680-lab-ann": all_statuses(), "cs2680-lab-bob": all_statuses()})
    path = write_json(tmp_path / "scores.json", scores_of("lab", pushed("ann", "2026-11-01T00:00:00Z")))
    assert enter(folder, path)[0] == 0
    before = path.read_bytes()
    monkeypatch.setattr("grader.export.classroom50.datetime", Later)
    assert enter(folder, path)[0] == 0 and path.read_bytes() == before
    better = all_statuses()
    better.parts[1].score, better.score = 3.0, 3.5
    status, scores = enter(write_results(tmp_path / "second", {"cs2680-lab-ann": better}), path)
    assert status == 0 and [record["score"] for record in entries_of(scores)["ann"]["submissions"]] == [3, 40]
    assert entries_of(scores)["ann"]["submissions"][0]["graded_at"] == "2040-01-01T00:00:00Z"


@pytest.mark.parametrize("when", ["2031-01-01T00:00:00", "2031-01-01 00:00:00", "2031-01-01T00:00:00z", "2031-01-01"])
def test_a_time_without_a_zone_is_utc(when: str, tmp_path: Path) -> None:
    result = all_statuses()
    result.graded_at = "2026-11-30T14:03:00Z"
    folder = write_results(tmp_path / "results", {"cs2680-lab-ann": result})
    status, scores = enter(folder, write_json(tmp_path / "scores.json", scores_of("lab", pushed("ann", when))))
    record = entries_of(scores)["ann"]["submissions"][0]
    assert status == 0 and (record["score"], record["datetime"]) == (2, "2031-01-01T00:00:01Z")


@pytest.mark.parametrize(
    "bucket",
    [
        {"type": "individual", "entries": None},
        {"entries": [{"owner": "ann"}]},
        {"type": ["x"], "entries": [{"owner": "ann", "submissions": [None]}], "more": {"λ": 1.5}},
        [],
        None,
    ],
)
def test_another_assignment_may_be_of_any_form(bucket: object, tmp_path: Path) -> None:
    folder = write_results(tmp_path / "results", {"cs2680-lab-ann": all_statuses()})
    old = scores_of("lab", pushed("ann", "2026-11-01T00:00:00Z"))
    old["assignments"]["other"] = bucket
    path = tmp_path / "scores.json"
    path.write_text(json.dumps(old), encoding="utf-8-sig")  # with a byte order mark, as Windows' editors write
    status, scores = enter(folder, path)
    assert status == 0 and len(entries_of(scores)["ann"]["submissions"]) == 2
    assert scores["assignments"]["other"] == bucket


@pytest.mark.parametrize(
    ("bucket", "sentence"),
    [
        ({"type": "individual", "entries": [{"owner": "eve"}]}, "the owner 'eve' has no list of submissions"),
        ({"type": "individual", "entries": [{"owner": "eve", "submissions": [1]}]}, "the owner 'eve' has no list"),
        ({"type": "individual", "entries": None}, "it has no list of entries"),
        ({"entries": []}, "its type is none of group, individual, team"),
        ({"type": ["group"], "entries": []}, "its type is none of"),
        (None, "it has no list of entries"),
    ],
)
def test_an_odd_entry_of_the_assignment_is_named(
    bucket: object, sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_results(tmp_path / "results", {"cs2680-lab-ann": all_statuses()})
    data = {"schema": "classroom50/scores/v1", "assignments": {"lab": bucket}}
    assert enter(folder, write_json(tmp_path / "scores.json", data)) == (2, data)
    told = capsys.readouterr().err
    assert "assignment lab: " in told and sentence in told and "stays as it is" in told
