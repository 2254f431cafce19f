"""Grading whole submissions: right ones, broken ones, and what staff and students then read."""

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from batching_lab.harness import Harness
from grader.cli import main
from grader.grading.grade import grade
from grader.grading.key import grading_key
from grader.grading.options import Feedback, GradingOptions
from grader.grading.origin import lab_version
from grader.grading.plugin import GraderError
from grader.grading.report import html_report, score_table
from grader.grading.result import Result, write_atomically
from grader.grading.rubric import load_rubric
from grader.grading.run_tests import run_hidden_tests
from grader.paths import ROOT, SOLUTION
from grader.proving.helpers import (
    ALL_POINTS,
    HAS_MODEL,
    RIGHT_SUBMISSIONS,
    hidden_tests_only,
    make_submission,
    slow_after,
)
from grader.worker.client import Limits
from grader.worker.text import without_paths

JOINT = "both_files_together"
OF_PART_2 = ("new_pool", "free_gives_all_blocks_back")
OF_PART_6 = ("model_chunks", "model_hang_ups")
# Some of each part, where a whole grading would show no more.
OF_EACH_PART = (
    "static_d_finish",
    "recomputed_tokens",
    "static_slot_stays_empty",
    "update_order",
    *OF_PART_2,
    "worst_case_of_running_sequences",
    "door_static",
    "chunk_mixed",
    "preempt_recompute",
    JOINT,
    *OF_PART_6,
)


def points(result: Result) -> dict[str, float]:
    return {part.part: part.score for part in result.parts}


def with_part_6(expected: Mapping[str, float], score: float) -> dict[str, float]:
    return {**expected, **({"6-cpu": score} if HAS_MODEL else {})}


def kept(result: Result) -> set[str]:
    return {test.id for part in result.parts for test in part.tests if test.score == test.max_score > 0}


def lost(result: Result) -> dict[str, str]:
    return {test.id: test.message for part in result.parts for test in part.tests if test.status != "passed"}


def test_solution_gets_everything() -> None:
    result = grade(SOLUTION)
    assert lost(result) == {}
    assert (result.status, result.score, result.max_score) == ("graded", ALL_POINTS, ALL_POINTS)
    assert result.not_run == (["6-gpu"] if HAS_MODEL else ["6-cpu", "6-gpu"])


def test_without_pytorch_part_6_is_not_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """That is no failure, and whoever grades is told what to do; no student is."""
    monkeypatch.setattr("grader.grading.runnable.MODEL_PACKAGES", ("no_such_package",))
    with hidden_tests_only(*OF_EACH_PART):
        result = grade(SOLUTION)
    assert result.status == "graded" and kept(result) == set(OF_EACH_PART) - set(OF_PART_6)
    assert result.score == result.max_score == sum(part.max_score for part in result.parts)
    assert result.not_run == ["6-cpu", "6-gpu"]
    sentence = "Part 6-cpu can't be run here: it needs no_such_package (pip install -e '.[model]')."
    assert sentence in score_table(result).splitlines()
    assert result.notes == [] and sentence not in result.to_json() + html_report(result)
    assert main(["grade", str(SOLUTION), "--parts", "1,6-cpu"]) == 2
    assert capsys.readouterr().err == f"grader: --parts: {sentence}\n"


def test_what_grades_alone_imports_no_pytorch() -> None:
    code = "import sys, grader.cli, grader.proving.steady; sys.exit('torch' in sys.modules or 'numpy' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'starter'}"}
    assert subprocess.run([sys.executable, "-c", code], env=environment, timeout=60).returncode == 0


@pytest.mark.skipif(not HAS_MODEL, reason="Part 6 needs PyTorch")
def test_the_command_grades_part_6_in_forked_processes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    with hidden_tests_only("static_d_finish", "recomputed_tokens", *OF_PART_6):
        assert main(["grade", str(SOLUTION), "--json", str(path), "--parts", "0,6-cpu"]) == 0
    data = json.loads(path.read_text(encoding="utf-8"))
    assert [(part["part"], part["score"], part["max_score"]) for part in data["parts"]] == [
        ("0", 1, 1),
        ("6-cpu", 1, 1),
    ]
    assert "6-cpu  The real model, right on the CPU  1 / 1" in capsys.readouterr().out


@pytest.mark.parametrize("folder", slow_after(1, RIGHT_SUBMISSIONS, lambda path: path.name))
def test_other_right_submissions_get_everything(folder: Path, tmp_path: Path) -> None:
    result = grade(make_submission(tmp_path / "copy", base=folder))
    assert lost(result) == {} and result.score == ALL_POINTS


def test_starter_gets_nothing_and_is_told_so_calmly() -> None:
    result = grade(ROOT / "starter")
    assert (result.status, result.score) == ("graded", 0)
    text = score_table(result)
    assert "Traceback" not in text and "is not done yet" in text and "is not answered yet" in text


def test_a_broken_allocator_costs_part_2_and_the_joint_test(tmp_path: Path) -> None:
    result = grade(make_submission(tmp_path / "syntax", files={"kv_allocator.py": "def f(:"}))
    assert points(result) == with_part_6({"0": 5, "1": 15, "2": 0, "3": 20, "4": 15, "5": 18}, 0)
    alone = [part for part in result.parts if part.part not in ("2", "6-cpu")]
    assert {test.id for part in alone for test in part.tests if test.score == 0} == {JOINT}
    for name, text in (("raises", "raise RuntimeError"), ("empty", "")):
        with hidden_tests_only(*OF_EACH_PART):
            result = grade(make_submission(tmp_path / name, files={"kv_allocator.py": text}))
        assert kept(result) == set(OF_EACH_PART) - {*OF_PART_2, JOINT, *OF_PART_6}


def test_a_broken_scheduler_keeps_part_2(tmp_path: Path) -> None:
    result = grade(make_submission(tmp_path / "syntax", files={"scheduler.py": "def f(:"}))
    assert points(result) == with_part_6({"0": 5, "1": 0, "2": 15, "3": 0, "4": 0, "5": 0}, 0)
    assert result.max_score == ALL_POINTS
    limits = GradingOptions(limits=Limits(load_seconds=0.5))
    for name, text in (("exits", "import sys; sys.exit(0)"), ("hangs", "while True: pass")):
        with hidden_tests_only(*OF_EACH_PART):
            result = grade(make_submission(tmp_path / name, files={"scheduler.py": text}), options=limits)
        assert kept(result) == {"static_d_finish", "recomputed_tokens", *OF_PART_2}


@pytest.mark.parametrize("name", ["scheduler.py", "kv_allocator.py", "answers.toml"])
def test_one_file_alone_is_graded(tmp_path: Path, name: str) -> None:
    folder = make_submission(tmp_path / "alone")
    for path in folder.iterdir():
        if path.name != name:
            path.unlink()
    answers = {"static_d_finish", "recomputed_tokens"}
    expected = {
        "scheduler.py": set(OF_EACH_PART) - answers - {*OF_PART_2, JOINT, *OF_PART_6},
        "kv_allocator.py": set(OF_PART_2),
        "answers.toml": answers,
    }
    with hidden_tests_only(*OF_EACH_PART):
        assert kept(grade(folder)) == expected[name]


def test_an_empty_folder_is_graded_with_sentences(tmp_path: Path) -> None:
    result = grade(tmp_path)
    assert (result.status, result.score, result.max_score) == ("graded", 0, ALL_POINTS)
    assert {"scheduler.py is missing.", "kv_allocator.py is missing.", "answers.toml is missing."} <= set(
        lost(result).values()
    )


@pytest.mark.parametrize(
    ("change", "answer", "sentence"),
    [
        (("= 7", '= "7"'), "static_d_finish", "static_d_finish must be a whole number."),
        (("= 7", "= 7.0"), "static_d_finish", "static_d_finish must be a whole number."),
        (("= 7", "= true"), "static_d_finish", "static_d_finish must be a whole number."),
        (("= 7", "= 8"), "static_d_finish", "static_d_finish is another number."),
        (("= 7", '= "?"'), "static_d_finish", "static_d_finish is not answered yet."),
        (("static_d_finish = 7", ""), "static_d_finish", "answers.toml has no line static_d_finish = ..."),
    ],
)
def test_a_bad_answer_costs_that_answer(tmp_path: Path, change: tuple[str, str], answer: str, sentence: str) -> None:
    result = grade(make_submission(tmp_path / "copy", [("answers.toml", *change)]), ["0"])
    assert result.score == 4.5 and lost(result)[answer].startswith(sentence)
    assert "= 7" not in lost(result)[answer]


def test_broken_toml_costs_part_0(tmp_path: Path) -> None:
    for name, content in (("toml", "a = = 1"), ("deep", "a = " + "[" * 20_000), ("unknown", "x = 1")):
        with hidden_tests_only(*OF_EACH_PART):
            result = grade(make_submission(tmp_path / name, files={"answers.toml": content}), ["0", "2"])
        assert kept(result) == set(OF_PART_2)
    folder = make_submission(tmp_path / "bytes")
    (folder / "answers.toml").write_bytes(b"a = '\xff'")
    assert set(lost(grade(folder, ["0"])).values()) == {"answers.toml is not UTF-8 text."}


PLANTED = "import os; os.environ.get('MARK') and open(os.environ['MARK'], 'a').write(__file__ + '\\n')\n"


def test_planted_files_are_neither_run_nor_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv("MARK", str(mark))
    planted = dict.fromkeys(("conftest.py", "sitecustomize.py", "usercustomize.py", "test_part1_x.py"), PLANTED)
    planted |= {
        "pytest.ini": "[pytest]\naddopts = -p evil\n",
        "pyproject.toml": "[tool.pytest.ini_options]\naddopts='-x'\n",
    }
    folder = make_submission(tmp_path / "copy", files=planted | {"evil.py": PLANTED})
    (folder / "batching_lab").mkdir()
    (folder / "batching_lab" / "__init__.py").write_text(PLANTED, encoding="utf-8")
    (folder / "evil-1.dist-info").mkdir()
    (folder / "evil-1.dist-info" / "entry_points.txt").write_text("[pytest11]\nevil = evil\n", encoding="utf-8")
    command = [sys.executable, "-m", "grader", "grade", str(folder), "--parts", "0,1,2"]
    command += ["--json", str(tmp_path / "result.json")]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'starter'}"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))["score"] == 35
    assert not mark.exists()
    assert "conftest.py was not taken" in done.stdout


def test_links_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("x = 1", encoding="utf-8")
    folder = make_submission(tmp_path / "copy")
    (folder / "scheduler.py").unlink()
    (folder / "scheduler.py").symlink_to(secret)
    result = grade(folder, ["1"])
    assert result.score == 0 and result.notes == ["scheduler.py was not taken: it is a link."]


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    result = grade(make_submission(tmp_path / "copy", files={"kv_allocator.py": "#" * (1 << 21)}), ["2"])
    assert result.score == 0 and result.notes == ["kv_allocator.py was not taken: it is larger than 1 MiB."]


def test_json_is_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "new" / "result.json"
    assert main(["grade", str(SOLUTION), "--json", str(path), "--parts", "0,2"]) == 0
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["schema"] == "batching-lab/result/v1" and data["status"] == "graded"
    assert (data["score"], data["max_score"]) == (20.0, 20.0)
    assert data["not_run"] == ["1", "3", "4", "5", "6-cpu", "6-gpu"]
    assert set(data["isolation"]) == {"level", "missing"}
    assert data["key"].startswith("sha256")
    assert [part["part"] for part in data["parts"]] == ["0", "2"]
    test = data["parts"][1]["tests"][0]
    assert set(test) == {"id", "score", "max_score", "status", "message", "duration_s"}
    assert [entry for entry in tmp_path.rglob("*") if entry.is_file()] == [path]


def test_the_same_submission_gets_the_same_result(tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "copy", [("scheduler.py", "if not preempted:", "if True:")])
    lost = "preempt_admits_nobody", "preempt_in_recompute", "random_preemption_with_chunks"
    with hidden_tests_only(*OF_EACH_PART, *lost):
        first, second = grade(folder), grade(folder)
    for result in (first, second):
        result.graded_at = None
        for part in result.parts:
            for test in part.tests:
                test.duration_s = 0
    assert first.to_json() == second.to_json()
    assert kept(first) == set(OF_EACH_PART) - {JOINT, "model_hang_ups"} - ({"model_chunks"} if not HAS_MODEL else set())


def test_key_changes_with_the_submission_only(tmp_path: Path) -> None:
    one, same, other = tmp_path / "one", tmp_path / "same", tmp_path / "other"
    make_submission(one)
    make_submission(same, files={"notes.txt": "not graded"})
    make_submission(other, files={"helper.py": "x = 1"})
    assert grading_key(one) == grading_key(same) != grading_key(other)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nowhere"], "grader: there is no submission folder nowhere"),
        ([str(SOLUTION), "--parts", "7"], "grader: --parts: there is no part '7'; there are 0, 1, 2, 3, 4, 5"),
        ([str(SOLUTION), "--parts", ""], "grader: --parts: there is no part ''"),
        ([str(SOLUTION), "--commit", "main"], "grader: 'main' is no commit: 7 to 64 hexadecimal digits"),
        ([str(SOLUTION), "--commit-time", "yesterday"], "grader: 'yesterday' is no time of the form 2026-11-30T14:03"),
        ([str(SOLUTION), "--commit-time", "2026-11-30T14:03:00"], "with Z or an offset such as +01:00"),
        ([str(SOLUTION), "--json", str(ROOT)], "is a folder; wanted is the name of a file"),
    ],
)
def test_wrong_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str) -> None:
    assert main(["grade", *arguments]) == 2
    assert sentence in capsys.readouterr().err


FAULT = [("scheduler.py", "        if not preempted:\n            self.admit(budget)", "        self.admit(budget)")]


LEVELS: tuple[Feedback, ...] = ("full", "hint", "none")


def test_feedback_levels(tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "copy", FAULT)
    with hidden_tests_only("random_preemption_with_chunks"):
        messages = {
            level: lost(grade(folder, ["5"], GradingOptions(level)))["random_preemption_with_chunks"]
            for level in LEVELS
        }
    assert messages["none"] == ""
    assert re.fullmatch(r"Tick \d+: .* Rule: .* Hint: .*", messages["hint"])
    assert messages["full"].startswith(messages["hint"] + "\n")
    assert "Run it again: python -m batching_lab run --policy continuous --jobs" in messages["full"]
    assert "expected" in messages["full"] and "--jobs" not in messages["hint"]


def test_hint_feedback_names_no_number_of_the_workload(tmp_path: Path) -> None:
    """A scheduler that puts what it knows into ids and messages gets none of it back."""
    leak = 'return Schedule({"LEAK" + repr([s.request for s in self.waiting.values()]): 1}, tuple(preempted))'
    folder = make_submission(
        tmp_path / "copy", [("scheduler.py", "return Schedule(self.scheduled, tuple(preempted))", leak)]
    )
    messages = lost(grade(folder, ["1", "3"]))
    assert len(messages) > 10
    assert not [message for message in messages.values() if "LEAK" in message or "prompt_token_ids" in message]


def test_grader_faults_are_no_zeros(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_: object, **__: object) -> object:
        raise OSError("no space left")

    monkeypatch.setattr("grader.grading.plugin.status_of", broken)
    monkeypatch.setattr(Harness, "expect", broken)
    with hidden_tests_only(*OF_EACH_PART):
        result = grade(SOLUTION, ["1"])
        assert main(["grade", str(SOLUTION), "--parts", "1"]) == 3
    assert (result.status, result.score) == ("grader_error", None) and "no space left" in result.error
    assert json.loads(result.to_json())["score"] is None
    assert "there is no score" in capsys.readouterr().out
    assert "no score yet" in html_report(result)


def test_no_path_of_this_machine_reaches_a_student(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Python itself names them, in the errors of imports say."""
    for number, line in enumerate(
        ("from batching_lab import nothing", "raise RuntimeError(__file__)", "open('/x/y z')")
    ):
        folder = make_submission(tmp_path / f"s{number}" / "ada", files={"scheduler.py": f"{line}\n"})
        files = folder.parent / "out.json", folder.parent / "out.html"
        arguments = ["--json", str(files[0]), "--html", str(files[1])]
        with hidden_tests_only(*OF_EACH_PART):
            assert main(["grade", str(folder), "--parts", "1", *arguments]) == 0
        data = json.loads(files[0].read_text(encoding="utf-8"))
        message = data["parts"][0]["tests"][0]["message"]
        assert data["submission"] == "ada" and "(scheduler.py, line 1: " in message
        for text in (message, *(path.read_text(encoding="utf-8") for path in files)):
            for place in (tmp_path, ROOT, Path(tempfile.gettempdir()), Path.home(), sys.prefix):
                assert str(place) not in text
    assert "Graded with Python" in capsys.readouterr().out


def test_the_path_in_a_grader_error_is_for_staff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "a folder" / "batching-lab-1"

    def broken(*_: object, **__: object) -> object:
        raise OSError(f"no space left: {str(place)!r}")

    monkeypatch.setattr("grader.grading.grade.run_parts", broken)
    path = tmp_path / "out.json"
    assert main(["grade", str(SOLUTION), "--parts", "1", "--json", str(path)]) == 3
    assert str(place) in capsys.readouterr().out
    error = json.loads(path.read_text(encoding="utf-8"))["error"]
    assert error == "no space left: 'batching-lab-1'"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cannot import x from 'y' (/tmp/b-1/library/y/__init__.py)", "cannot import x from 'y' (__init__.py)"),
        (f"can't read /data{tempfile.gettempdir()}/a.py", "can't read a.py"),
        (f"in {ROOT.resolve()}", "in ..."),
        ("at C:\\Users\\ada\\lab\\s.py, file:///srv/lab/s.py", "at s.py, s.py"),
        ("n // 2, 3 / 4, and/or/both, https://a.org/b/c, \\\\d\\\\w, /", None),
        ("No such file: '/srv/a folder/x y.py' and \"C:\\\\a b\\\\c.py\"", "No such file: 'x y.py' and \"c.py\""),
        ("return a//b/c, text.split('//'), '/'", None),
    ],
)
def test_of_a_path_only_the_name_is_told(text: str, expected: str | None) -> None:
    assert without_paths(text) == (expected or text)


def test_a_result_says_which_commit_when_and_by_what(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "out.json"
    commit = "ABC1234" + "0" * 33
    given = ["--commit", commit, "--commit-time", "2026-11-30T15:03:00+01:00"]
    assert main(["grade", str(SOLUTION), "--parts", "0", "--json", str(path), *given]) == 0
    data = json.loads(path.read_text(encoding="utf-8"))
    assert (data["commit"], data["commit_time"]) == (commit.lower(), "2026-11-30T14:03:00Z")
    assert (data["lab"], data["python"]) == (lab_version(), platform.python_version())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", data["graded_at"]) and "about_machine" not in data
    assert "commit abc1234 of 2026-11-30 14:03 UTC." in capsys.readouterr().out
    assert main(["grade", str(SOLUTION), "--parts", "0", "--json", str(path), "--commit", "", "--commit-time", ""]) == 0
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["commit"] is None and data["commit_time"] is None


def test_nothing_is_believed_of_a_submissions_git_folder(tmp_path: Path) -> None:
    """Its files could name any commit, and its settings could run a command."""
    folder = make_submission(tmp_path / "ada")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("a1b2c3d" * 5 + "01234\n", encoding="utf-8")
    (folder / ".git" / "config").write_text(f"[core]\n\tfsmonitor = touch {tmp_path}/ran\n", encoding="utf-8")
    assert grade(folder, ["0"]).commit is None and not (tmp_path / "ran").exists()


def test_a_rubric_test_that_does_not_run_is_a_grader_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("grader.grading.run_tests.HIDDEN_TESTS", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (tmp_path / "test_part1_x.py").write_text("def test_something_else(): pass\n", encoding="utf-8")
    part = load_rubric()["1"]
    never: Callable[[bool], object] = lambda own: None  # noqa: E731
    with pytest.raises(GraderError, match="not run"):
        run_hidden_tests([part], never, "hint")  # type: ignore[arg-type]


def test_html_escapes_what_came_from_outside(tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "<script>", files={"scheduler.py": "raise RuntimeError('<script>alert(1)')"})
    with hidden_tests_only(*OF_EACH_PART):
        page = html_report(grade(folder, ["1"]))
    assert "<script>" not in page and "&lt;script&gt;alert(1)" in page


def test_results_are_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "result.json"
    write_atomically(path, "old\n")

    def no_rename(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", no_rename)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, "new\n")
    assert path.read_text(encoding="utf-8") == "old\n" and list(tmp_path.iterdir()) == [path]
