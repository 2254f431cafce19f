"""`python -m grader export`: every format against a schema that is kept with its source, and what each says."""

import base64
import csv
import importlib.util
import io
import json
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from grader.cli import main
from grader.export.actions import actions_result
from grader.export.bundles import classroom50_bundle, gradescope_bundle
from grader.export.load import load_result
from grader.export.numbers import plain, whole_scores
from grader.release.build import AUTOGRADED, write_files
from grader.release.leaks import find_leaks
from grader.result import Isolation, PartResult, Result, TestResult
from grader.selftest.helpers import make_submission
from grader.selftest.reporter import reporter
from grader.selftest.student import complete
from grader.worker.sandbox import ISOLATION_PACKAGES

SCHEMAS = Path(__file__).with_name("schemas")
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


def test_classroom50(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(results.parent / "out")
    assert main(["export", str(results), "--format", "classroom50", "--out", out, *CLASSROOM50]) == 3
    assert "=cmd(): the grader failed and gave no score" in capsys.readouterr().err
    files = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in Path(out).rglob("*.json")}
    assert set(files) == {"ada", "Jürgen 周", "deep"}
    for name, data in files.items():
        check(data, "classroom50")
        assert data["owner"] == name
        assert data["score"] == sum(test["score"] for test in data["tests"]) <= data["max-score"]
        assert data["max-score"] == sum(test["max-score"] for test in data["tests"])
        assert all(test["score"] <= test["max-score"] for test in data["tests"])
    assert {test["status"] for test in files["ada"]["tests"]} == set(STATUSES)
    assert files["Jürgen 周"]["score"] == 5
    assert main(["export", str(results), "--format", "classroom50", "--out", out]) == 2


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
    assert report.lines == ["Error: The grader failed; there is no score. This is not the submission's fault."]


def test_actions_without_a_submission() -> None:
    result = Result("not_submitted", "s", "k", Isolation("full", []), None, 90.0, [], [], error="No file was found.")
    report = reporter({"s": actions_result(result)})
    assert report.total == (0, 0) and report.exit_status == 1
    assert report.lines == ["Error: There is no score: nothing was graded. No file was found."]


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
    monkeypatch.delenv("CLASSROOM")
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
    for name in ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL"):
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
        return {**data, "stdout": done.stdout}

    data = run()
    assert data["score"] == 20, data["stdout"]  # Parts 0 and 2
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
    gpu = {"rehearsal": False, "flags": [], **about}
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


def test_results_of_different_gpus_are_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graded = write_results(tmp_path / "graded", {"ann": all_statuses()})
    one, other = (stage_result("sha256:ab", about={"GPU": name, "driver_version": name}) for name in ("T4", "H200"))
    gpu = write_results(tmp_path / "gpu", {"ann": one, "bob": other})
    assert main(["export", str(graded), "--gpu", str(gpu), "--format", "csv"]) == 0
    assert capsys.readouterr().err == "grader: the GPU stage's results come from different GPUs, models or versions\n"
