"""One table says what each folder takes part in: touching a file changes the keys that its folder says, no others."""

import shutil
import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.paths import IN_DIGESTS, ROOT, SOLUTION, USES, Use, digest_for, files_for, use_of

# What a person would say of these, written apart from the table.
SAID = {
    "grader/hidden/test_part1_batching.py": {Use.KEY, Use.REPORT},
    "grader/hidden/oracle.py": {Use.KEY, Use.REPORT},
    "grader/rubric.toml": {Use.KEY, Use.REPORT},
    "grader/worker/child.py": {Use.KEY, Use.REPORT},
    "grader/grading/feedback.py": {Use.KEY, Use.REPORT},
    "starter/batching_lab/loop.py": {Use.KEY, Use.REPORT},
    "starter/batching_lab/model/llama.py": {Use.KEY, Use.REPORT},
    "starter/batching_lab/model/micro/model.safetensors": {Use.KEY, Use.REPORT},
    "starter/batching_lab/model/judging/shadow.py": {Use.KEY, Use.REPORT},
    "starter/batching_lab/commands/sweep.py": set(),
    "starter/batching_lab/reports/timeline.py": set(),
    "starter/batching_lab/testing/plugin.py": set(),
    "starter/batching_lab/timing/stopwatch.py": {Use.GPU},
    "starter/scheduler.py": set(),
    "grader/gpu/stage.py": {Use.GPU},
    "grader/gpu/clocks.py": {Use.GPU},
    "solution/scheduler.py": {Use.GPU, Use.REPORT},
    "grader/cli.py": set(),
    "grader/README.md": set(),
    "grader/export/gradescope.py": set(),
    "grader/release/build.py": set(),
    "grader/classroom/collect.py": set(),
    "grader/proving/mutants.py": {Use.REPORT},
    "grader/proving/equivalent_mutants.toml": {Use.REPORT},
    "grader/proving/attacks/bases.py": {Use.REPORT},
    "grader/proving/benchmarks/bench.py": set(),
    "grader/tools/micro.py": set(),
    "grader/tools/starter.py": set(),
    "grader/selftest/test_paths.py": set(),
    "tests/test_part1_batching.py": set(),
    "handout.md": set(),
}
DIGESTS = (Use.KEY, Use.GPU, Use.REPORT)


def all_files() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no repository")
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("name", SAID)
def test_what_a_file_takes_part_in(name: str) -> None:
    assert (ROOT / name).is_file()
    assert {use for use in DIGESTS if use in use_of(name)} == SAID[name]


def test_touching_each_file_changes_the_keys_that_its_folder_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With small stand-ins for the files: a digest reads each, and some 800 are touched."""
    names = all_files()
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "LIBRARY", tmp_path / "starter" / "batching_lab")
    contents = {use: files_for(use) for use in DIGESTS}
    for name in names:
        in_digest = {use for use in DIGESTS if name in contents[use]}
        counted = {use for use in DIGESTS if use in use_of(name)} if Path(name).suffix in IN_DIGESTS else set()
        assert in_digest == counted, name
    before = {use: digest_for(use) for use in DIGESTS}
    for name in SAID:
        (tmp_path / name).write_text("touched", encoding="utf-8")
        changed = {use for use in DIGESTS if digest_for(use) != before[use]}
        (tmp_path / name).write_text(name, encoding="utf-8")
        expected = SAID[name] if Path(name).suffix in IN_DIGESTS else set()
        assert changed == expected, name


def test_what_an_editor_leaves_behind_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "lab"
    shutil.copytree(ROOT / "grader" / "grading", root / "grader" / "grading")
    monkeypatch.setattr(paths, "ROOT", root)
    before = digest_for(Use.KEY)
    for name in ("feedback.py~", ".feedback.py.swp", "feedback.py.orig", "notes.txt"):
        (root / "grader" / "grading" / name).write_text("x", encoding="utf-8")
    assert digest_for(Use.KEY) == before


def test_each_place_of_the_table_is_there() -> None:
    missing = [name for name in USES if not (ROOT / name).exists()]
    assert not missing


def test_what_grades_is_in_the_bundle_and_secret() -> None:
    """The bundle's key is the checkout's; the library and the starter are what students have."""
    for name in files_for(Use.KEY):
        assert Use.BUNDLE in use_of(name), name
        assert (Use.SECRET in use_of(name)) == name.startswith("grader/"), name
    assert Use.SECRET in use_of("solution/scheduler.py") and SOLUTION.is_dir()
