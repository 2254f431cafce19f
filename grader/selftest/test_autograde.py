"""The students' autograding: points by part from the public tests, whatever stands in the repository."""

import importlib.util
import json
import os
import re
import shutil
import site
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from grader.proving.fakes.reporter import reporter
from grader.proving.fakes.student import Push, complete, decoded, read_outputs
from grader.proving.helpers import slow_after
from grader.release.build import AUTOGRADED, deterministic_zip, release_files, write_files

TOTAL = sum(points for _, points in AUTOGRADED.values())
ALL = {part: points for part, (_, points) in AUTOGRADED.items()}
NOTHING = dict.fromkeys(AUTOGRADED, 0)


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return release_files()


@pytest.fixture
def release(files: dict[str, bytes], tmp_path: Path) -> Path:
    """Without the library: what is graded has the one in lab.zip."""
    folder = tmp_path / "student"
    write_files({name: files[name] for name in files if not name.startswith("starter/batching_lab/")}, folder)
    return folder


@pytest.fixture
def whole_release(files: dict[str, bytes], release: Path) -> Path:
    write_files(files, release)
    return release


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


def test_the_reporters_table_shows_our_points(release: Path) -> None:
    """Each number of passed tests in each part: the table, which knows no points, comes out whole, and as the notice.

    The lines name all tests that failed, and are never more than the part has points.
    """
    module = load(release)
    parts, _ = module.read_lab(module.LAB_ZIP)
    for part in parts:
        for num_passed in range(len(part.tests) + 1):
            for n, test in enumerate(part.tests):
                test.passed = (n * 7) % len(part.tests) < num_passed if len(part.tests) % 7 else n < num_passed
            report = reporter({f"part{part.id}": decoded(module.contract([part]))})
            assert report.notice == report.total == (part.score, part.points)
            assert part.score <= part.points * num_passed / len(part.tests)
            assert len(report.lines) <= part.points and report.exit_status == (num_passed < len(part.tests))
            failed = [test for test in part.tests if not test.passed]
            assert names_in(report.lines) == {test.id.rpartition("::")[2] for test in failed}
        assert report.lines == [f"passed: Part {part.id}: {part.points} points"]
    report = reporter({f"part{part.id}": decoded(module.contract([part])) for part in parts})
    assert report.notice == report.total == (TOTAL, TOTAL)


def names_in(lines: list[str]) -> set[str]:
    return {name for line in lines if " lost by " in line for name in line.partition(" lost by ")[2].split(", ")}


def test_all_parts_as_one_runner(release: Path) -> None:
    """The table's number is the notice's but for the last digit of a floating-point product: 13 / 90 * 90."""
    module = load(release)
    parts, _ = module.read_lab(module.LAB_ZIP)
    tests = [test for part in parts for test in part.tests]
    for test in tests:
        test.passed = True
        report = reporter({"result": decoded(module.contract(parts))})
        assert report.notice == (sum(part.score for part in parts), TOTAL)
        assert report.total[0] == pytest.approx(report.notice[0], abs=1e-9) and report.total[1] == TOTAL
        failed = {f"Part {part.id}: {t.id.rpartition('::')[2]}" for part in parts for t in part.tests if not t.passed}
        assert names_in(report.lines) == failed


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
    "starter/colorama.py": "raise SystemExit\n",
    "starter/pluggy.py": "raise SystemExit\n",
    "pytest.py": "raise SystemExit\n",
    "starter/pytest.py": "raise SystemExit\n",
    "starter/evil.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
    "starter/evil.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
    "starter/evil.py": "import os\nos._exit(0)\n",
    "tests/test_part1_batching.py": "def f(:\n",
    "starter/batching_lab/harness.py": "import os\nos._exit(0)\n",
}


def test_planted_files_earn_nothing(whole_release: Path, tmp_path: Path) -> None:
    """The starter, pushed with much beside it that would change a plain run of pytest."""
    put(whole_release, PLANTED)
    push = Push(whole_release, tmp_path / "out")
    assert push.done.returncode == 0, push.done.stderr
    assert push.points(list(AUTOGRADED)) == NOTHING
    assert push.result["max_score"] == TOTAL and push.result["status"] == "fail"
    assert push.summary.startswith(f"# 0 of {TOTAL} points\n")
    place = "https://example.org/course/student/blob/abc123/handout.md#part-2-the-kv-block-allocator-15-points"
    assert f"[handout]({place})" in push.summary
    assert "Not done yet: scheduler.py, line " in push.summary
    assert "needs Part 2: BlockAllocator is not done yet" in push.summary


def test_planted_files_cost_nothing(whole_release: Path, tmp_path: Path) -> None:
    """The same beside a complete copy."""
    put(whole_release, PLANTED)
    complete(whole_release)
    push = Push(whole_release, tmp_path / "out")
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


def with_a_short_timeout(content: dict[str, bytes]) -> None:
    assert b"timeout = 5\n" in content["pytest.ini"]
    content["pytest.ini"] = content["pytest.ini"].replace(b"timeout = 5\n", b"timeout = 2\n")


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
    keep_parts(release, "2", change=with_a_short_timeout)
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


# A fault of the machine's is no zero


def keep_parts(release: Path, *part_ids: str, change: Callable[[dict[str, bytes]], None] | None = None) -> None:
    """Leave lab.zip with these parts only: a run of them is short."""
    path = release / ".github" / "lab.zip"
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    lab = json.loads(content["lab.json"])
    lab["parts"] = [part for part in lab["parts"] if part["part"] in part_ids]
    content["lab.json"] = json.dumps(lab).encode()
    if change is not None:
        change(content)
    path.write_bytes(deterministic_zip(content))


PYTEST = ("pytest", "_pytest", "py", "pytest_timeout")
NEEDED = ("pluggy", "iniconfig", "packaging", "pygments")


def copy_package(name: str, to: Path) -> None:
    """As it is installed here, compiled, too, without what says so (its .dist-info)."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.origin is not None
    origin = Path(spec.origin)
    to.mkdir(parents=True, exist_ok=True)
    if origin.name == "__init__.py":
        shutil.copytree(origin.parent, to / name)
    else:
        shutil.copy(origin, to)


def bare_environment(folder: Path) -> tuple[str, Path]:
    """A Python without packages, and its folder for them."""
    venv.create(folder, with_pip=False)
    if sys.platform == "win32":
        return str(folder / "Scripts" / "python.exe"), folder / "Lib" / "site-packages"
    return str(folder / "bin" / "python"), next((folder / "lib").glob("python*")) / "site-packages"


@pytest.mark.parametrize("layout", ["each in its own", "user", "PYTHONPATH", "checkout"])
def test_pytest_and_what_it_needs_may_lie_in_several_folders(layout: str, release: Path, tmp_path: Path) -> None:
    """As in `venv --system-site-packages`. A folder of the student's that a .pth file names, too, is not among them."""
    complete(release)
    keep_parts(release, "0")
    python, packages = bare_environment(release / ".venv" if layout == "checkout" else tmp_path / "venv")
    variables = {"PYTHONUSERBASE": str(tmp_path / "user")}
    for name in PYTEST:
        copy_package(name, packages)
    pth = [str(release / "starter")]  # an editable install of the student's package
    for name in NEEDED:
        place = {"user": user_packages(tmp_path / "user"), "checkout": packages}.get(layout, tmp_path / "other" / name)
        copy_package(name, place)
        pth += [str(place)] if layout == "each in its own" else []
    if layout == "PYTHONPATH":
        others = [str(tmp_path / "other" / name) for name in NEEDED]
        variables["PYTHONPATH"] = os.pathsep.join([str(release / "starter"), *others])
    (packages / "more.pth").write_text("\n".join(pth) + "\n", encoding="utf-8")
    (packages / "evil.pth").write_text("import os, sys; '--run-part' in sys.argv and os._exit(0)\n", encoding="utf-8")
    (packages / "sitecustomize.py").write_text("import os, sys; '--run-part' in sys.argv and os._exit(0)\n", "utf-8")
    put(release, PLANTED)
    push = Push(release, tmp_path / "out", python, **variables)
    assert push.done.returncode == 0, push.done.stderr
    assert push.points(["0"]) == {"0": ALL["0"]}


def user_packages(base: Path) -> Path:
    if sys.platform == "win32":
        return base / f"Python{sys.version_info.major}{sys.version_info.minor}" / "site-packages"
    return base / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


@pytest.mark.parametrize(
    ("absent", "sentence"),
    [
        ("pytest", "pytest can't be found: python -m pip install -r .github/requirements.txt"),
        ("pytest_timeout", "pytest_timeout can't be found: python -m pip install -r .github/requirements.txt"),
        ("_pytest", "Part 0: pytest did not start: ModuleNotFoundError: No module named '_pytest'"),
        ("pluggy", "Part 0: pytest did not start: ModuleNotFoundError: No module named 'pluggy'"),
        ("iniconfig", "Part 0: pytest did not start: ModuleNotFoundError: No module named 'iniconfig'"),
    ],
    ids=["pytest", "pytest_timeout", "_pytest", "pluggy", "iniconfig"],
)
def test_a_missing_package_is_an_error_of_the_step(absent: str, sentence: str, release: Path, tmp_path: Path) -> None:
    """It gave 0 points and exit status 0. Now: a sentence with the cause, and outputs of no points out of none."""
    complete(release)
    keep_parts(release, "0")
    python, packages = bare_environment(tmp_path / "venv")
    for name in {*PYTEST, *NEEDED} - {absent}:
        copy_package(name, packages)
    check_fault(Push(release, tmp_path / "out", python, PYTHONUSERBASE=str(tmp_path / "user")), sentence)


def check_fault(push: Push, sentence: str) -> None:
    assert push.done.returncode == 1
    errors = [line for line in push.done.stderr.splitlines() if line.startswith("::error::")]
    assert len(errors) == 1 and sentence in errors[0], push.done.stderr
    assert tempfile.gettempdir() not in errors[0] and tempfile.gettempdir() not in push.summary
    assert "points" not in push.done.stdout and push.summary.startswith("# No points\n")
    for output in push.outputs.values():
        report = reporter({"runner": decoded(output)})
        assert report.total == report.notice == (0, 0) and report.exit_status == 1
        assert sentence in report.lines[0]


INI = "[pytest]\naddopts = -p batching_lab.testing.plugin\n"
ABSENT_TEST = "tests/test_part0_predictions.py::test_of_another_release"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("tests/test_part0_predictions.py", "def f(:\n", "SyntaxError: invalid syntax"),
        ("tests/test_part0_predictions.py", "import no_such_module\n", "No module named 'no_such_module'"),
        ("tests/test_part0_predictions.py", "", "not found: "),
        ("lab.json", ABSENT_TEST, "not found: "),
        ("pytest.ini", INI + "addopts = --twice\n", "duplicate name 'addopts'"),
        (
            "pytest.ini",
            INI.replace("plugin\n", "plugin --no-such\n"),
            "unrecognized arguments: --no-such",
        ),
        ("pytest.ini", INI.replace("plugin\n", "absent\n"), "No module named 'batching_lab.testing.absent'"),
        ("plugin", "import os\nos._exit(0)\n", "its process ended with the status 0"),
        ("plugin", "import os\nos.kill(os.getpid(), 9)\n", "its process ended with the status -9"),
        (
            "plugin",
            "import os\nos.write(2, b'No memory')\nos._exit(3)\n",
            "the status 3, and the words: No memory",
        ),
        ("plugin", "def pytest_collection():\n    raise RuntimeError('no room')\n", "RuntimeError: no room"),
        ("plugin", "def pytest_collection_modifyitems(items):\n    items.clear()\n", "ended with the status 5"),
        ("plugin", "def pytest_runtestloop():\n    return True\n", "Part 0: pytest ended before the first test."),
    ],
    ids=[
        *("syntax error", "import", "no test", "no such test", "setting", "option", "plugin"),
        *("exit", "signal", "words", "internal error", "nothing collected", "nothing run"),
    ],
)
def test_pytest_that_does_not_run_is_an_error_of_the_step(
    name: str, text: str, sentence: str, release: Path, tmp_path: Path
) -> None:
    """An import that fails, wrong usage, an internal error, nothing collected, an end before the first test."""

    def change(content: dict[str, bytes]) -> None:
        if name == "lab.json":
            lab = json.loads(content[name])
            lab["parts"][0]["tests"].append({"id": text, "title": ""})
            content[name] = json.dumps(lab).encode()
        else:
            content["batching_lab/testing/plugin.py" if name == "plugin" else name] = text.encode()

    complete(release)
    keep_parts(release, "0", change=change)
    check_fault(Push(release, tmp_path / "out"), sentence)


def test_a_start_that_does_not_end_is_an_error(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complete(release)
    keep_parts(release, "0")
    module = load(release)
    monkeypatch.setattr(module, "START_SECONDS", 0.0)
    parts, _ = module.read_lab(module.LAB_ZIP)
    with pytest.raises(module.Fault, match="it had not collected the tests after 0 seconds"):
        module.grade(parts, release / "starter")


@pytest.mark.slow
def test_a_slow_start_takes_nothing_of_the_parts_time(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    complete(release)
    plugin = "batching_lab/testing/plugin.py"
    slow = b"import time\ntime.sleep(5)\n"
    keep_parts(release, "0", change=lambda content: content.update({plugin: slow + content[plugin]}))
    module = load(release)
    monkeypatch.setattr(module, "PART_SECONDS", 4.0)
    parts, _ = module.read_lab(module.LAB_ZIP)
    module.grade(parts, release / "starter")
    assert parts[0].score == ALL["0"]


@pytest.mark.parametrize("content", [None, b"", b"version https://git-lfs", "half", "no lab.json"], ids=str)
def test_a_spoiled_lab_zip_is_an_error(content: bytes | str | None, release: Path, tmp_path: Path) -> None:
    path = release / ".github" / "lab.zip"
    if content is None:
        path.unlink()
    elif content == "no lab.json":
        path.write_bytes(deterministic_zip({"pytest.ini": b""}))
    else:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2] if content == "half" else content)  # type: ignore[arg-type]
    check_fault(Push(release, tmp_path / "out"), "lab.zip beside autograde.py can't be read")


Lab = dict[str, Any]


def no_tests(lab: Lab) -> object:
    lab["parts"][0]["tests"] = []
    return lab


def no_title(lab: Lab) -> object:
    del lab["parts"][0]["tests"][0]["title"]
    return lab


def points_as_text(lab: Lab) -> object:
    lab["parts"][0]["points"] = "9"
    return lab


def no_points(lab: Lab) -> object:
    lab["parts"][0]["points"] = 0
    return lab


def a_test_that_has_passed(lab: Lab) -> object:
    lab["parts"][0]["tests"] = [True]
    return lab


def a_part_twice(lab: Lab) -> object:
    lab["parts"] *= 2
    return lab


def a_part_with_an_odd_name(lab: Lab) -> object:
    lab["parts"][0]["part"] = "0=1\nresult"
    return lab


@pytest.mark.parametrize(
    "change",
    [
        lambda lab: [],
        lambda lab: {},
        lambda lab: None,
        lambda lab: {**lab, "parts": []},
        lambda lab: {**lab, "parts": {}},
        lambda lab: {**lab, "parts": [1]},
        lambda lab: {**lab, "version": None},
        *(no_tests, no_title, points_as_text, no_points, a_test_that_has_passed),
        *(a_part_twice, a_part_with_an_odd_name),
    ],
)
def test_a_list_of_tests_of_another_form_is_an_error(
    change: Callable[[Lab], object], release: Path, tmp_path: Path
) -> None:
    """It ended with a traceback, or with exit status 0 and no points."""

    def spoil(content: dict[str, bytes]) -> None:
        content["lab.json"] = json.dumps(change(json.loads(content["lab.json"]))).encode()

    complete(release)
    keep_parts(release, "0", change=spoil)
    push = Push(release, tmp_path / "out")
    check_fault(push, "lab.zip beside autograde.py can't be read (its lab.json does not list the tests): restore it.")
    assert "Traceback" not in push.done.stderr


@pytest.mark.parametrize("name", ["pytest.ini", "batching_lab/submission/files.py", "tests/test_part0_predictions.py"])
def test_a_lab_zip_that_lacks_a_file_is_an_error(name: str, release: Path, tmp_path: Path) -> None:
    def drop(content: dict[str, bytes]) -> None:
        del content[name]

    keep_parts(release, "0", change=drop)
    check_fault(Push(release, tmp_path / "out"), f"lab.zip beside autograde.py can't be read (it lacks {name})")


def test_a_flipped_bit_in_lab_zip_is_an_error_or_changes_nothing(release: Path) -> None:
    """Each place of a small file in turn would take long: some in each part of the zip."""
    path = release / ".github" / "lab.zip"
    whole = path.read_bytes()
    module = load(release)
    expected = module.read_lab(path)
    places = {*range(0, len(whole), len(whole) // 150), *range(len(whole) - 120, len(whole))}
    num_found = 0
    for place in sorted(places):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        try:
            assert module.read_lab(path) == expected, place
        except module.Fault as fault:
            assert str(fault).startswith("lab.zip beside autograde.py can't be read (")
            num_found += 1
    assert num_found > len(places) // 2


@pytest.mark.parametrize("name", ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"])
@pytest.mark.parametrize("place", ["full", "a folder", "in no folder"])
def test_where_points_can_not_be_handed_on(name: str, place: str, release: Path, tmp_path: Path) -> None:
    """An error, of which nobody says that the tests had not run; the points stay where they could be written."""
    if place == "full" and not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    complete(release)
    keep_parts(release, "0")
    path = {"full": "/dev/full", "a folder": str(tmp_path), "in no folder": str(tmp_path / "absent" / "x")}[place]
    push = Push(release, tmp_path / "out", **{name: path})
    assert push.done.returncode == 1
    sentence = f"the file that {name} names can't be written ("
    assert push.done.stderr.startswith("::error::The points can't be handed on") and sentence in push.done.stderr
    assert push.done.stderr.count("\n") == 1 and str(tmp_path) not in push.done.stderr
    if name == "GITHUB_OUTPUT":
        assert push.summary.startswith("# No points\n") and not push.outputs
    else:
        assert push.points(["0"]) == {"0": ALL["0"]}


def started(release: Path, out: Path, cwd: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "GITHUB_OUTPUT": str(out)}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8")


@pytest.mark.parametrize("where", ["starter", "tests", ".github", "..", "elsewhere"])
def test_the_checkout_is_found_from_any_folder(where: str, release: Path, tmp_path: Path) -> None:
    """From another folder it was 0 of 90, with exit status 0."""
    complete(release)
    keep_parts(release, "0")
    (tmp_path / "elsewhere").mkdir()
    cwd = tmp_path / where if where == "elsewhere" else release / where
    out, script = tmp_path / "output", release / ".github" / "autograde.py"
    done = started(release, out, cwd, sys.executable, "-I", os.path.relpath(script, cwd))
    assert (done.returncode, done.stderr) == (0, "")
    assert sum(test["score"] for test in decoded(read_outputs(out)["part0"])["tests"]) == ALL["0"]


def test_nothing_is_left_open(release: Path, tmp_path: Path) -> None:
    complete(release)
    keep_parts(release, "0")
    command = (sys.executable, "-I", "-X", "dev", "-W", "error", ".github/autograde.py")
    done = started(release, tmp_path / "output", release, *command)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that can close them")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_output_costs_nothing(closed: str, release: Path, tmp_path: Path) -> None:
    complete(release)
    keep_parts(release, "0")
    out = tmp_path / "output"
    done = started(release, out, release, "sh", "-c", f'exec "$0" -I .github/autograde.py {closed}', sys.executable)
    assert (done.returncode, done.stderr) == (0, "")
    assert sum(test["score"] for test in decoded(read_outputs(out)["part0"])["tests"]) == ALL["0"]


# Where this machine has its files is nobody's business

NAMES_A_PLACE = {
    "import of the library": "from batching_lab import no_such_name\n",
    "import of a module of its own": "import kv_allocator\nfrom kv_allocator import no_such_name\n",
    "import of the standard library": "from json import no_such_name\n",
    "import of pytest": "from pytest import no_such_name\n",
    "current folder": "import os\nraise ValueError('in ' + os.getcwd())\n",
    "folder above": "import os\nraise ValueError('in ' + os.path.dirname(os.getcwd()))\n",
    "its file": "raise ValueError(__file__)\n",
    "an address": "raise ValueError('file://' + __file__)\n",
    "absent file": "import os\nopen(os.path.join(os.getcwd(), 'absent.txt'))\n",
    "path": "import sys\nraise ValueError(sys.path)\n",
    "autograde.py": "import sys\nraise ValueError(sys.modules['__main__'].__file__)\n",
}


@pytest.mark.parametrize("kind", NAMES_A_PLACE)
def test_students_read_no_paths_of_the_machine(kind: str, release: Path) -> None:
    put(release, {"starter/kv_allocator.py": NAMES_A_PLACE[kind]})
    points, summary = graded(release, "2")
    summary = summary.replace("\\", "")
    places = ["autograde-", str(release), tempfile.gettempdir(), sysconfig.get_path("stdlib"), *site.getsitepackages()]
    assert points == {"2": 0} and [place for place in places if place in summary] == []
    if kind == "import of the library":
        assert "(batching_lab/__init__.py)" in summary


def test_a_fault_names_no_place(release: Path, tmp_path: Path) -> None:
    """Here of pytest_timeout; check_fault looks at the others."""
    complete(release)
    keep_parts(release, "0")
    python, packages = bare_environment(tmp_path / "venv")
    for name in {*PYTEST, *NEEDED}:
        copy_package(name, packages)
    (packages / "pytest_timeout.py").write_text("from pytest_timeout import no_such_name\n", encoding="utf-8")
    check_fault(Push(release, tmp_path / "out", python), "(pytest_timeout.py)")


def test_packages_in_the_checkout_are_said_not_to_be_taken(release: Path, tmp_path: Path) -> None:
    """`pip install --target libs`, with PYTHONPATH."""
    complete(release)
    python, _ = bare_environment(tmp_path / "venv")
    for name in {*PYTEST, *NEEDED}:
        copy_package(name, release / "libs")
    push = Push(release, tmp_path / "out", python, PYTHONPATH=str(release / "libs"), PYTHONUSERBASE=str(tmp_path / "u"))
    where = "outside the checkout, and packages inside the checkout are not taken"
    install = "python -m pip install -r .github/requirements.txt"
    check_fault(push, f"pytest and pytest_timeout can't be found {where}: {install}")


def test_no_room_for_temporary_files_is_an_error(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = load(release)
    parts, _ = module.read_lab(module.LAB_ZIP)
    monkeypatch.setattr(module.tempfile, "tempdir", str(release / "absent"))
    with pytest.raises(module.Fault, match="can't be copied to a folder of their own"):
        module.grade(parts, release / "starter")


@pytest.mark.skipif(sys.platform == "win32", reason="names that Windows does not know")
def test_any_name_of_the_folder_for_temporary_files(release: Path, tmp_path: Path) -> None:
    """pytest takes `::` and `[` in its arguments apart."""
    complete(release)
    keep_parts(release, "0")
    folder = tmp_path / "a::b [c] ü"
    folder.mkdir()
    push = Push(release, tmp_path / "out", TMPDIR=str(folder))
    assert push.done.returncode == 0, push.done.stderr
    assert push.points(["0"]) == {"0": ALL["0"]} and not list(folder.iterdir())


IMPORT = "import os, signal, sys, time\n"
ENDS_AT_IMPORT = {
    "exit": "os._exit(0)\n",
    "loop": "while True:\n    try:\n        time.sleep(1)\n    except BaseException:\n        pass\n",
    "exit status": "os._exit(3)\n",
    "signal": "os.kill(os.getpid(), getattr(signal, 'SIGKILL', signal.SIGTERM))\n",
    "crash": "import ctypes\nctypes.string_at(0)\n",
    "closes everything": "os.closerange(0, 256)\nos._exit(0)\n",
    "exit from a thread": "import threading\nthreading.Thread(target=os._exit, args=(0,)).start()\ntime.sleep(9)\n",
    "exec": "os.execv(sys.executable, [sys.executable, '-c', ''])\n",
}


@pytest.mark.parametrize("kind", slow_after(2, ENDS_AT_IMPORT, str))
def test_an_end_at_import_is_zero_and_no_error(kind: str, release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or students could turn zeros into an error. The part's time is short for the endless loop."""
    complete(release)
    keep_parts(release, "2")
    put(release, {"starter/kv_allocator.py": IMPORT + ENDS_AT_IMPORT[kind]})
    module = load(release)
    monkeypatch.setattr(module, "PART_SECONDS", 3.0)
    parts, _ = module.read_lab(module.LAB_ZIP)
    module.grade(parts, release / "starter")
    assert parts[0].score == 0
    result = decoded(module.contract(parts))
    assert (result["status"], result["max_score"]) == ("fail", ALL["2"])
    assert parts[0].tests[0].message in (module.ENDED, "It did not end within the part's time.")
