"""One table says what each folder takes part in: touching a file changes the keys that its folder says, no others."""

import subprocess
from pathlib import Path

import pytest

from grader import paths
from grader.paths import ROOT, SOLUTION, USES, Use, digest_for, files_for, use_of

# What a person would say of these, written apart from the table.
SAID = {
    "grader/hidden/test_part1_batching.py": {Use.KEY, Use.REPORT},
    "grader/hidden/oracle.py": {Use.KEY, Use.REPORT},
    "grader/rubric.toml": {Use.KEY, Use.REPORT},
    "grader/hidden/pytest.ini": {Use.KEY, Use.REPORT},
    "grader/grading/report_rubric.toml": set(),
    "grader/worker/child.py": {Use.KEY, Use.REPORT},
    "grader/grading/feedback.py": {Use.KEY, Use.REPORT},
    "starter/batching_lab/loop.py": {Use.KEY, Use.REPORT},
    "starter/batching_lab/model/llama.py": {Use.KEY, Use.REPORT},
    "starter/batching_lab/model/micro/model.safetensors": {Use.KEY, Use.REPORT},
    "starter/batching_lab/model/micro/MODEL_CARD.md": set(),
    "starter/batching_lab/py.typed": set(),
    "starter/batching_lab/__main__.py": set(),
    "starter/batching_lab/model/judging/shadow.py": {Use.KEY, Use.REPORT},
    "starter/batching_lab/commands/sweep.py": set(),
    "starter/batching_lab/reports/timeline.py": set(),
    "starter/batching_lab/testing/plugin.py": set(),
    "starter/batching_lab/timing/stopwatch.py": {Use.GPU},
    "starter/scheduler.py": set(),
    "grader/gpu/stage.py": {Use.GPU},
    "grader/gpu/clocks.py": {Use.GPU},
    "solution/scheduler.py": {Use.GPU, Use.REPORT},
    "solution/answers.toml": {Use.REPORT},
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


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A lab of stand-ins: each file of the repository holds its own name."""
    for name in all_files():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "LIBRARY", tmp_path / "starter" / "batching_lab")
    return tmp_path


def test_touching_a_file_changes_the_digests_that_a_person_would_say(lab: Path) -> None:
    before = {use: digest_for(use) for use in DIGESTS}
    for name, expected in SAID.items():
        assert (ROOT / name).is_file()
        (lab / name).write_text("touched", encoding="utf-8")
        assert {use for use in DIGESTS if digest_for(use) != before[use]} == expected, name
        (lab / name).write_text(name, encoding="utf-8")


def test_each_file_is_in_the_digests_that_its_folder_says(lab: Path) -> None:
    contents = {use: files_for(use) for use in DIGESTS}
    for name in all_files():
        said = {use for use in DIGESTS if use in use_of(name)} if name.endswith(".py") or name in USES else set()
        assert {use for use in DIGESTS if name in contents[use]} == said, name


@pytest.mark.parametrize(
    "name",
    ["out.json", "gpu.json", "notes.toml", "x.ini", "y.safetensors", "feedback.py~", ".f.py.swp", "f.py.orig", "n.txt"],
)
def test_what_somebody_leaves_in_a_folder_changes_nothing(lab: Path, name: str) -> None:
    """`--json solution/out.json` is no reason to time a class again."""
    before = {use: digest_for(use) for use in DIGESTS}
    for place in USES:
        if (lab / place).is_dir():
            (lab / place / name).write_text("x", encoding="utf-8")
    assert {use: digest_for(use) for use in DIGESTS} == before


def test_all_data_that_is_read_in_a_grading_is_in_its_key() -> None:
    """Data counts by its name only, so a new file must be named."""
    data = [name for name in all_files() if not name.endswith(".py") and Use.KEY in use_of(name) and name not in USES]
    assert data == ["starter/batching_lab/model/micro/MODEL_CARD.md", "starter/batching_lab/py.typed"]


def test_each_place_of_the_table_is_there() -> None:
    missing = [name for name in USES if not (ROOT / name).exists()]
    assert not missing


def test_what_grades_is_in_the_bundle_and_secret() -> None:
    """The bundle's key is the checkout's; the library and the starter are what students have."""
    for name in files_for(Use.KEY):
        assert Use.BUNDLE in use_of(name), name
        assert (Use.SECRET in use_of(name)) == name.startswith("grader/"), name
    assert Use.SECRET in use_of("solution/scheduler.py") and SOLUTION.is_dir()
