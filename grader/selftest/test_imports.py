"""The import graph of the library and the grader: no circle, no arrow upwards, nothing imports the tests."""

import ast
import functools
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

from grader.cli import VERBS
from grader.paths import GRADER, LIBRARY, ROOT, SOLUTION, Use, use_of
from grader.proving.helpers import run_pytest

# From the ground up. A module may import those of lower floors, and of its own room; the longest name that fits is its
# room. Rooms on one floor don't know each other.
FLOORS = (
    ("batching_lab.*",),  # the files at the top of the library: what a student reads
    ("batching_lab.workloads", "batching_lab.submission"),
    ("batching_lab", "batching_lab.harness"),
    ("batching_lab.model", "batching_lab.timing", "batching_lab.reports"),
    ("batching_lab.model.loading", "batching_lab.model.judging", "batching_lab.model.timing"),
    ("batching_lab.testing",),
    ("batching_lab.commands",),
    ("batching_lab.__main__",),
    ("grader.paths", "grader.options"),
    ("grader.worker", "grader.hidden", "grader.sources"),
    ("grader.grading", "grader.tools"),
    ("grader.gpu",),
    ("grader.release",),
    ("grader.export",),
    ("grader.classroom",),
    ("grader.proving",),
    ("grader", "grader.cli"),
    ("grader.__main__",),
    ("grader.selftest",),
)
# Files that run elsewhere, alone: what is uploaded to a platform, and what a worker's process is started with.
ALONE = ("grader/export/files/", "grader/proving/attacks/", "grader/proving/right/", "grader/tools/prefill_first/")


def modules() -> dict[str, Path]:
    """Name -> file, of the library and of the grader."""
    files = {}
    for folder in (LIBRARY, GRADER):
        for path in folder.rglob("*.py"):
            name = path.relative_to(folder.parent).with_suffix("")
            files[".".join(name.parts).removesuffix(".__init__")] = path
    return {name: path for name, path in sorted(files.items()) if not place(path).startswith(ALONE)}


def place(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(name: str, path: Path, known: dict[str, Path]) -> dict[str, int]:
    """Module -> the line that imports it, also inside of functions; of this project's."""
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [one if one in known else node.module for one in whole]
        for other in names:
            if other in known and other != name:
                found.setdefault(other, node.lineno)  # type: ignore[attr-defined]
    return found


def room_of(name: str) -> str:
    parts = name.split(".")
    above = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    rooms = {room for floor in FLOORS for room in floor}
    if len(parts) == 2 and parts[0] == "batching_lab" and name not in rooms:
        return "batching_lab.*"
    return next(room for room in above if room in rooms)


FLOOR_OF = {room: number for number, floor in enumerate(FLOORS) for room in floor}
MODULES = modules()


@functools.cache
def arrows() -> dict[str, dict[str, int]]:
    """Module -> what it imports. Not made when the tests are collected: each of pytest-xdist's workers does that."""
    return {name: imported(name, path, MODULES) for name, path in MODULES.items()}


@pytest.mark.parametrize("name", MODULES)
def test_no_arrow_points_upwards(name: str) -> None:
    room = room_of(name)
    wrong = [
        f"{place(MODULES[name])}:{line}: {name} -> {other}: {room} may not import {room_of(other)}"
        for other, line in arrows()[name].items()
        if room_of(other) != room and FLOOR_OF[room_of(other)] >= FLOOR_OF[room]
    ]
    assert not wrong, "\n".join(wrong)


def test_there_is_no_circle() -> None:
    try:
        TopologicalSorter(arrows()).prepare()
    except CycleError as error:
        circle = error.args[1][::-1]
        steps = [f"{place(MODULES[one])}:{arrows()[one][other]}: {one} -> {other}" for one, other in pairwise(circle)]
        pytest.fail("these imports are a circle:\n" + "\n".join(steps))


def test_nobody_imports_the_tests() -> None:
    """Not even one test another: what they share stands in grader/proving."""
    wrong = [
        f"{place(MODULES[name])}:{line}: {name} -> {other}"
        for name, others in arrows().items()
        for other, line in others.items()
        if other.startswith("grader.selftest")
    ]
    assert not wrong, "\n".join(wrong)


def test_tests_folders_hold_tests_only() -> None:
    names = [path.name for path in (GRADER / "selftest").rglob("*.py")]
    assert [name for name in names if not name.startswith("test_") and name != "conftest.py"] == []


def test_each_verb_has_its_module() -> None:
    for verb, (name, _) in VERBS.items():
        tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
        mains = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
        assert len(mains) == 1 and [arg.arg for arg in mains[0].args.args] == ["arguments"], f"{verb}: {name}"


def test_what_runs_in_a_grading_is_in_the_key() -> None:
    """Whatever the trusted process has imported after a grading, but for what the result is stamped with."""
    code = (
        "import sys; from pathlib import Path; from grader.grading.grade import grade\n"
        f"result = grade(Path({str(SOLUTION)!r}), ['0', '1'])\n"
        "assert result.score == 20, result\n"
        "print(*sorted(str(m.__file__) for m in list(sys.modules.values()) if getattr(m, '__file__', None)), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [Path(line) for line in done.stdout.splitlines()]
    names = {place(path) for path in files if path.is_relative_to(GRADER) or path.is_relative_to(LIBRARY)}
    stamped_with = {"grader/__init__.py", "grader/sources.py"}
    assert {name for name in names if Use.KEY not in use_of(name)} == stamped_with


def test_what_grades_imports_nothing_else() -> None:
    """Where a file decides about points, so does what it imports."""
    wrong = [
        f"{place(MODULES[name])}:{line}: {name} -> {other}, which is not in the key"
        for name, others in arrows().items()
        if Use.KEY in use_of(place(MODULES[name]))
        for other, line in others.items()
        if Use.KEY not in use_of(place(MODULES[other])) and other != "grader.sources"
    ]
    assert not wrong, "\n".join(wrong)


def test_what_is_in_the_bundle_imports_nothing_that_is_not() -> None:
    """What another machine gets works there; the command line's other verbs are named and not there."""
    wrong = [
        f"{name} -> {other}"
        for name, others in arrows().items()
        if Use.BUNDLE in use_of(place(MODULES[name]))
        for other in others
        if Use.BUNDLE not in use_of(place(MODULES[other]))
    ]
    assert not wrong, "\n".join(wrong)


def test_without_pytorch_all_tests_are_collected() -> None:
    """Those of the model are skipped: nothing that needs it is imported before they ask for it."""
    here = Path(__file__).parent
    hidden = "import sys; sys.modules['torch'] = None"
    code, output = run_pytest("-c", str(here / "pytest.ini"), "--collect-only", "-q", str(here / "model"), code=hidden)
    assert code in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED) and "ERROR" not in output, output
