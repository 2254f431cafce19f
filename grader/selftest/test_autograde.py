"""The students' autograding: points by part from the public tests, whatever stands in the repository."""

import importlib.util
import json
import re
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from grader.release.build import AUTOGRADED, release_files, write_files
from grader.selftest.student import Push, complete, decoded

TOTAL = sum(points for _, points in AUTOGRADED.values())
ALL = {part: points for part, (_, points) in AUTOGRADED.items()}
NOTHING = dict.fromkeys(AUTOGRADED, 0)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return release_files()


@pytest.fixture
def release(files: dict[str, bytes], tmp_path: Path) -> Path:
    folder = tmp_path / "student"
    write_files(files, folder)
    return folder


def load(release: Path) -> ModuleType:
    """autograde.py of the release, as a module."""
    spec = importlib.util.spec_from_file_location("autograde", release / ".github" / "autograde.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules["autograde"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def graded(release: Path, *part_ids: str) -> tuple[dict[str, int], str]:
    """Run some parts only; their points, and the summary."""
    module = load(release)
    parts, version = module.read_lab(module.LAB_ZIP)
    chosen = [part for part in parts if part.id in part_ids]
    notes = module.grade(chosen, release / "starter")
    for part in chosen:
        result = decoded(module.contract([part]))
        assert result["max_score"] == ALL[part.id] and sum(test["score"] for test in result["tests"]) == part.score
        assert (result["status"] == "pass") == (part.score == ALL[part.id])
    return {part.id: part.score for part in chosen}, module.markdown(parts, version, notes)


def put(folder: Path, planted: dict[str, str]) -> None:
    for name, text in planted.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("utf-8", "surrogateescape"))


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_parts_of_the_zip(files: dict[str, bytes], release: Path) -> None:
    """Their points are the public ones, their sections are headings of the handout."""
    with zipfile.ZipFile(release / ".github" / "lab.zip") as archive:
        parts = json.loads(archive.read("lab.json"))["parts"]
    headings = re.findall(r"^#+ (.*)$", files["handout.md"].decode("utf-8"), re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert {part["section"] for part in parts} <= anchors
    assert {part["part"]: part["points"] for part in parts} == ALL
    assert all(part["tests"] for part in parts)


def test_whole_points_add_up(release: Path) -> None:
    module = load(release)
    for points in (5, 15, 20):
        for count in (1, 7, 9, 12, 30):
            part = module.Part("1", "", points, "", [module.Test(str(n), "") for n in range(count)])
            assert sum(part.test_max_scores()) == points
            for passed in range(count):
                part.tests[(passed * 7) % count if count % 7 else passed].passed = True
                assert sum(part.test_scores()) == part.score <= points * sum(t.passed for t in part.tests) / count
            for test in part.tests:
                test.passed = True
            assert part.score == points and part.test_scores() == part.test_max_scores()


PLANTED = {
    "conftest.py": "raise SystemExit\n",
    "tests/conftest.py": "import os\nos._exit(0)\n",
    "starter/conftest.py": "import os\nos._exit(0)\n",
    "pytest.ini": "[pytest]\naddopts = --collect-only\n",
    "tox.ini": "[pytest]\naddopts = -k nothing\n",
    "starter/pytest.ini": "[pytest]\naddopts = -x\n",
    "setup.cfg": "[tool:pytest]\naddopts = -x\n",
    "pyproject.toml": "not toml [",
    "starter/sitecustomize.py": "import os\nos._exit(0)\n",
    "starter/usercustomize.py": "import os\nos._exit(0)\n",
    "sitecustomize.py": "import os\nos._exit(0)\n",
    "json.py": "raise SystemExit\n",
    "pytest.py": "raise SystemExit\n",
    "starter/pytest.py": "raise SystemExit\n",
    "starter/evil.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
    "starter/evil.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
    "starter/evil.py": "import os\nos._exit(0)\n",
    "tests/test_part1_batching.py": "def f(:\n",
    "starter/batching_lab/harness.py": "import os\nos._exit(0)\n",
}


def test_planted_files_earn_nothing(release: Path, tmp_path: Path) -> None:
    """The starter, pushed with much beside it that would change a plain run of pytest."""
    put(release, PLANTED)
    push = Push(release, tmp_path / "out")
    assert push.done.returncode == 0, push.done.stderr
    assert push.points(list(AUTOGRADED)) == NOTHING
    assert push.result["max_score"] == TOTAL and push.result["status"] == "fail"
    assert push.summary.startswith(f"# 0 of {TOTAL} points\n")
    place = "https://example.org/course/student/blob/abc123/handout.md#part-2-the-kv-block-allocator-15-points"
    assert f"[handout]({place})" in push.summary
    assert "Not done yet: scheduler.py, line " in push.summary
    assert "needs Part 2: BlockAllocator is not done yet" in push.summary


def test_planted_files_cost_nothing(release: Path, tmp_path: Path) -> None:
    """The same beside a complete copy."""
    put(release, PLANTED)
    complete(release)
    push = Push(release, tmp_path / "out")
    assert push.points(list(AUTOGRADED)) == ALL
    assert push.result["status"] == "pass" and sum(t["score"] for t in push.result["tests"]) == TOTAL
    assert push.summary.startswith(f"# {TOTAL} of {TOTAL} points\n") and "<details>" not in push.summary
    summary = push.summary.replace("\\", "")
    assert "conftest.py was not taken: it is no part of a submission." in summary
    assert "tests/test_part1_batching.py is not as it was released" in summary


def test_partial_credit_and_the_first_failing_tick(release: Path) -> None:
    complete(release)
    old = "while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:"
    new = old.replace("self.waiting", "self.waiting and not self.running")
    replace(release / "starter" / "scheduler.py", old, new)
    points, summary = graded(release, "1", "2")
    assert points["2"] == ALL["2"] and 0 < points["1"] < ALL["1"]
    assert re.search(r"^\| 1 \|.*\| Tick \d+: .*did not run, but should have", summary, re.MULTILINE)
    assert "Run it again: python -m batching_lab run --policy " in summary and "--submission" not in summary


@pytest.mark.parametrize(
    ("name", "text", "spoiled", "whole"),
    [
        ("scheduler.py", "def f(:\n", "1", "2"),
        ("scheduler.py", "import numpy\n", "1", "0"),
        ("kv_allocator.py", "import os\nos._exit(0)\n", "2", "1"),
        ("scheduler.py", "import ctypes\nctypes.string_at(0)\n", "1", "0"),
        ("answers.toml", "\udcff", "0", "2"),
    ],
    ids=["syntax error", "import", "exit", "crash", "no UTF-8"],
)
def test_a_spoiled_file_costs_its_parts_only(name: str, text: str, spoiled: str, whole: str, release: Path) -> None:
    complete(release)
    put(release, {f"starter/{name}": text})
    assert graded(release, spoiled, whole)[0] == {spoiled: 0, whole: ALL[whole]}


@pytest.mark.parametrize("names", [["scheduler.py", "kv_allocator.py", "answers.toml"], ["scheduler.py"]])
def test_missing_files(names: list[str], release: Path) -> None:
    for name in names:
        (release / "starter" / name).unlink()
    points, summary = graded(release, "1")
    assert points == {"1": 0} and ("There is no starter/scheduler.py" in summary) == (len(names) == 3)


# A few of the ways to get points for nothing that work on plain pytest. Whoever is determined finds another.
FORGED = {
    "printed": "print('12 passed')\n",
    "exit": "import atexit, os\natexit.register(os._exit, 0)\nraise SystemExit(0)\n",
    "lines": """
import json, os
for test in ("test_seed_static", "test_seed_continuous"):
    line = json.dumps({"token": "", "id": f"tests/test_part1_batching.py::{test}", "outcome": "passed", "text": ""})
    for descriptor in range(1, 20):
        try:
            os.write(descriptor, line.encode() + b"\\n")
        except OSError:
            pass
""",
    "output": """
import os
with open(os.environ["GITHUB_OUTPUT"], "a") as file:
    file.write("result=forged\\n")
""",
}


@pytest.mark.parametrize("kind", FORGED)
def test_forged_results_earn_nothing(kind: str, release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "output"))
    path = release / "starter" / "scheduler.py"
    path.write_text(FORGED[kind] + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert graded(release, "1")[0] == {"1": 0}
    assert not (tmp_path / "output").exists()


def test_an_endless_loop_costs_its_test_only(release: Path) -> None:
    """One that even catches the exception that is to end it: the process ends, the tests after it still run."""
    complete(release)
    loop = """\
        while request_id not in self.block_tables and self.num_blocks == 4:
            try:
                while True:
                    pass
            except BaseException:
                pass
"""
    old = "        self.free_blocks.extend(self.block_tables.pop(request_id))\n"
    replace(release / "starter" / "kv_allocator.py", old, loop + old)
    points, summary = graded(release, "2")
    num_tests = (release / "tests" / "test_part2_allocator.py").read_text(encoding="utf-8").count("\ndef test_")
    assert points == {"2": ALL["2"] * (num_tests - 1) // num_tests}
    assert "The process ended in this test" in summary


def test_text_of_the_student_stays_text(release: Path) -> None:
    complete(release)
    nasty = "x | y <img src=x> `code` ``` [link](http://evil)\\n# 90 of 90 points\\n```\\n::error::oops"
    put(release, {"starter/kv_allocator.py": f'raise ValueError("""{nasty}""")\n'})
    _, summary = graded(release, "2")
    table, details = summary.split("<details>", 1)
    assert "<img" not in table and "[link]" not in table
    rows = [line for line in table.splitlines() if line.startswith("| 2 |")]
    assert len(rows) == 1 and len(re.findall(r"(?<!\\)\|", rows[0])) == 7
    fence = re.search(r"^(`{3,})text\n.*?\n\1$", details.split("Part 2:")[1], re.MULTILINE | re.DOTALL)
    assert fence is not None and len(fence[1]) > 3 and "90 of 90" in fence[0]
