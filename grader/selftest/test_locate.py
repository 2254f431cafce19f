"""The one folder that holds a submission: found in whatever lies around it, or named in a sentence."""

import json
import os
import shutil
from pathlib import Path, PurePosixPath

import pytest

from grader.cli import main
from grader.export import on_gradescope
from grader.grading.grading_process import run_grader
from grader.grading.locate import MAX_DEPTH, MAX_ENTRIES, Entry, Found, find_below, find_submission
from grader.paths import SOLUTION
from grader.proving.helpers import FILES


def found_in(text: str) -> Found:
    """Paths with blanks between them; `a/*` is all three files, `a/` a folder."""
    entries = []
    for word in text.split():
        names = [word.replace("*", name) for name in FILES] if word.endswith("*") else [word]
        entries += [Entry(PurePosixPath(name), name.endswith("/")) for name in names]
    return find_submission(entries)


@pytest.mark.parametrize(
    ("paths", "folder"),
    [
        ("*", "."),
        ("starter/*", "starter"),
        ("submission/*", "submission"),
        ("lab-main/starter/* lab-main/README.md lab-main/tests/test_part1.py", "lab-main/starter"),
        ("lab/lab/starter/*", "lab/lab/starter"),
        ("周/Jürgen/starter/*", "周/Jürgen/starter"),
        # what is no submission
        ("lab/* __MACOSX/lab/* lab/._scheduler.py", "lab"),
        ("lab/starter/* lab/.git/* lab/.venv/lib/* lab/.ipynb_checkpoints/scheduler.py", "lab/starter"),
        ("lab/starter/* lab/venv/lib/python3.13/site-packages/apscheduler/scheduler.py", "lab/starter"),
        ("lab/starter/* lab/tests/* lab/starter/batching_lab/*", "lab/starter"),
        ("lab/starter/* lab/node_modules/x/scheduler.py", "lab/starter"),
        ("lab/starter/* lab/other/scheduler.py/", "lab/starter"),
        # copies in the same lab
        ("lab/starter/* lab/backup/*", "lab/starter"),
        ("lab/backup/* lab/starter/* lab/*", "lab/starter"),
        ("lab/starter/* lab/starter/old/*", "lab/starter"),
        ("lab/starter/* lab/old/starter/*", "lab/starter"),
        ("starter/* scheduler.py", "starter"),
        ("lab/* lab/old/*", "lab"),
        ("lab/* lab/starter/answers.toml", "lab"),
        # a repository, or a zip of it, that is called like a folder of the lab
        ("batching_lab/starter/*", "batching_lab/starter"),
        ("tests/*", "tests"),
        ("lab/batching_lab/starter/*", "lab/batching_lab/starter"),
        # one file alone
        ("lab/starter/answers.toml", "lab/starter"),
        ("a/b/kv_allocator.py", "a/b"),
    ],
)
def test_the_folder_is_found(paths: str, folder: str) -> None:
    for text in (paths, " ".join(reversed(paths.split()))):  # whatever comes first
        found = found_in(text)
        assert (found.folder, found.sentence) == (PurePosixPath(folder), "")


def test_what_lies_where_a_submission_lies_is_graded_whatever_lies_elsewhere() -> None:
    """An old answers.toml in another folder takes nobody's points for the code in starter/."""
    names = ["lab/starter/scheduler.py", "lab/starter/kv_allocator.py", "lab/old/answers.toml"]
    entries = [Entry(PurePosixPath(name)) for name in names]
    assert find_submission(entries).folder is None
    found = find_submission(entries, usual={PurePosixPath("lab/starter")})
    assert found.folder == PurePosixPath("lab/starter")
    assert found.notes == ["Graded: lab/starter.", "Not graded: lab/old (answers.toml)."]


def test_what_is_not_graded_is_named() -> None:
    found = found_in("lab/starter/* lab/backup/scheduler.py")
    assert found.notes == ["Graded: lab/starter.", "Not graded: lab/backup (scheduler.py)."]
    assert found_in("scheduler.py answers.toml.txt old/scheduler.py").notes == [
        "Graded: the top folder.",
        "Not graded: old (scheduler.py).",
        "There is no answers.toml: answers.toml.txt has another name.",
    ]
    assert found_in("lab/scheduler.py lab/KV_allocator.py lab/scheduler_parts.py").notes == [
        "Graded: lab.",
        "There is no kv_allocator.py: KV_allocator.py has another name.",
    ]
    assert found_in("*").notes == []


@pytest.mark.parametrize(
    ("paths", "places"),
    [
        ("a/starter/* b/starter/*", ["a/starter (scheduler.py, kv_allocator.py, answers.toml)", "b/starter (sch"]),
        ("a/* b/*", ["a (scheduler.py, kv_allocator.py, answers.toml)", "b (scheduler.py, kv_allocator.py, answers"]),
        ("lab-main/starter/* mine/*", ["lab-main/starter (", "mine ("]),
        ("a/starter/* a/backup/* b/scheduler.py", ["a/starter (", "a/backup (", "b (scheduler.py)"]),
        # the files of one submission, apart
        (
            "lab/starter/scheduler.py lab/starter/kv_allocator.py lab/answers.toml",
            ["lab (answers.toml)", "lab/starter (s"],
        ),
        (
            "lab/scheduler.py lab/kv_allocator.py lab/text/answers.toml",
            ["lab (scheduler.py, kv_allocator.py)", "lab/text (a"],
        ),
        ("lab/starter/answers.toml lab/src/scheduler.py", ["lab/starter (answers.toml)", "lab/src (scheduler.py)"]),
    ],
)
def test_of_several_none_is_chosen_and_all_are_named(paths: str, places: list[str]) -> None:
    found = found_in(paths)
    assert found.folder is None and "and none was chosen: " in found.sentence
    assert all(place in found.sentence for place in places)
    assert found.sentence.endswith("The three files must lie in one folder.")


@pytest.mark.parametrize(
    ("paths", "sentence"),
    [
        ("", "There are no files."),
        ("lab/ lab/starter/", "No files were found, only folders: lab, lab/starter."),
        ("lab/README.md lab/src/main.py", "lab holds README.md, src/."),
        ("README.md starter", "The top folder holds README.md, starter."),
        ("starter/Scheduler.py", "Not the right name: starter/Scheduler.py."),
        ("starter/scheduler(1).py starter/answers.toml.txt", "starter/scheduler(1).py, starter/answers.toml.txt."),
        ("lab.ZIP", "Not looked into: lab.ZIP."),
        ("a/submission.tar.gz", "Not looked into: a/submission.tar.gz."),
        ("starter\\scheduler.py", "The top folder holds starter\\scheduler.py."),
        ("starter\\scheduler.py", "Names hold backslashes: unpack the zip anew, with another program."),
        (" ".join(f"n{number}" for number in range(30)), "and 22 more."),
    ],
)
def test_of_none_it_is_said_what_there_is(paths: str, sentence: str) -> None:
    found = found_in(paths)
    assert found.folder is None and found.places == {} and sentence in found.sentence


def test_a_sentence_is_never_too_long_nor_unprintable() -> None:
    names = ["a\nb/scheduler.py", "\x1b[31m/scheduler.py", "x" * 5000 + "/scheduler.py", "\udcff/scheduler.py"]
    sentence = find_submission([Entry(PurePosixPath(name)) for name in names]).sentence
    assert sentence.isprintable() and len(sentence) <= 1000 and sentence.encode()


# -- on the disk


def put(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        shutil.copy(SOLUTION / name, folder)
    return folder


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_no_link_is_followed(tmp_path: Path) -> None:
    put(tmp_path / "secret")
    handed_in = tmp_path / "in"
    handed_in.mkdir()
    (handed_in / "starter").symlink_to(tmp_path / "secret")
    (handed_in / "around").symlink_to(handed_in)
    found = find_below(handed_in)
    assert found.folder is None and "The top folder holds around, starter." in found.sentence


def test_the_search_ends_in_a_large_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of what is too much a sentence tells, of what lies too deep nothing is found."""
    monkeypatch.setattr("grader.grading.locate.MAX_ENTRIES", 50)
    for number in range(60):
        (tmp_path / f"{number:02}").mkdir()
    put(tmp_path / "60")
    found = find_below(tmp_path)
    assert found.folder is None and found.sentence.endswith("Only the first 50 files and folders were looked at.")
    assert MAX_ENTRIES >= 10_000
    put(tmp_path.joinpath("deep", *["a"] * (MAX_DEPTH + 1)))
    assert find_below(tmp_path / "deep").folder is None


def test_a_crowd_elsewhere_does_not_keep_from_starter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.grading.locate.MAX_ENTRIES", 50)
    for number in range(60):
        (tmp_path / "lab" / "data" / str(number)).mkdir(parents=True)
    put(tmp_path / "lab" / "starter")
    assert find_below(tmp_path).folder == PurePosixPath("lab/starter")


# -- python -m grader grade DIR


def graded(folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    status = main(["grade", str(folder), "--parts", "0", "--allow-weak-isolation"])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.parametrize("below", ["starter", "lab-main/starter", "submission", "a/b/c"])
def test_a_folder_around_the_submission(below: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / below)
    put(tmp_path / "__MACOSX" / below)
    status, output, _ = graded(tmp_path, capsys)
    assert status == 0 and "5 / 5" in output and f"\nGraded: {below}.\n" in output


def test_a_folder_with_a_file_of_its_own_is_not_searched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever names a folder means it, also if a better one lies in it."""
    (tmp_path / "scheduler.py").write_text("", encoding="utf-8")
    put(tmp_path / "starter")
    status, output, _ = graded(tmp_path, capsys)
    assert status == 0 and "0 / 5" in output and "Graded: " not in output


def test_two_submissions_in_a_folder_are_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("ann", "bob"):
        put(tmp_path / name)
    status, _, error = graded(tmp_path, capsys)
    assert status == 2 and error.count("\n") == 1
    assert "ann (scheduler.py, kv_allocator.py, answers.toml), bob (" in error
    assert error.endswith("Name the one that you mean.\n")


def test_a_folder_without_a_submission_says_what_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "Scheduler.py").write_text("", encoding="utf-8")
    (tmp_path / "hand-in.zip").write_bytes(b"")
    status, output, _ = graded(tmp_path, capsys)
    assert status == 0 and "answers.toml is missing." in output and "0 / 5" in output
    assert "Not the right name: Scheduler.py. Not looked into: hand-in.zip." in output
    (tmp_path / "empty").mkdir()
    assert "No folder holds" not in graded(tmp_path / "empty", capsys)[1]


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_as_the_folder_around_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path / "ann" / "starter")
    (tmp_path / "eve").symlink_to(tmp_path / "ann")
    status, output, _ = graded(tmp_path / "eve", capsys)
    assert status == 0 and "The submission's folder is a link; what it leads to was graded." in output


# -- Gradescope


def on_gradescope_with(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """results.json, with Part 0 only."""
    monkeypatch.setattr(on_gradescope, "run_grader", lambda words, *rest: run_grader([*words, "--parts", "0"], *rest))
    monkeypatch.setattr("sys.argv", ["on_gradescope", str(root), "--allow-weak-isolation"])
    assert on_gradescope.main() == 0
    data: dict[str, object] = json.loads((root / "results" / "results.json").read_text(encoding="utf-8"))
    return data


@pytest.mark.parametrize(
    ("below", "note"),
    [
        ("", ""),
        ("starter", ""),
        ("lab-main/starter", "Graded: lab-main/starter."),
        ("submission", "Graded: submission."),
        ("lab/lab-main/starter", "Graded: lab/lab-main/starter."),
    ],
)
def test_an_upload_with_folders_around_it(
    below: str, note: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "submission" / below)
    (tmp_path / "submission" / "__MACOSX").mkdir()
    (tmp_path / "submission" / "__MACOSX" / "._scheduler.py").write_bytes(b"\0")
    data = on_gradescope_with(tmp_path, monkeypatch)
    assert data["score"] == 5 and note in str(data["output"])
    assert ("Graded: " in str(data["output"])) == bool(note)


def test_an_upload_of_a_repository_with_a_file_at_its_top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "submission" / "starter")
    (tmp_path / "submission" / "answers.toml").write_text("", encoding="utf-8")
    data = on_gradescope_with(tmp_path, monkeypatch)
    assert data["score"] == 5 and "Not graded: the top folder (answers.toml)." in str(data["output"])


@pytest.mark.parametrize(
    ("paths", "sentence"),
    [
        (["report.pdf", "lab.zip"], "The top folder holds lab.zip, report.pdf. Not looked into: lab.zip."),
        (["a/scheduler.py", "b/scheduler.py"], "2 folders hold files of a submission, and none was chosen: a (sch"),
        ([], "There are no files."),
    ],
)
def test_an_upload_without_one_submission_gets_no_score_and_a_sentence(
    paths: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "submission").mkdir()
    for path in paths:
        (tmp_path / "submission" / path).parent.mkdir(exist_ok=True)
        (tmp_path / "submission" / path).write_bytes(b"")
    data = on_gradescope_with(tmp_path, monkeypatch)
    assert "score" not in data and sentence in str(data["output"])
    assert data["extra_data"] == {"status": "not_submitted", "key": ""}
