"""A submission that works in a newer Python than the one that grades: the public tests say so, and never wrongly.

Each table holds what the Python that grades does. Here it must come out under any Python: under one with lazy
annotations because the public tests evaluate them, under an older one by itself.
"""

import ast
import contextlib
import importlib
import re
import sys
from pathlib import Path

import pytest
import yaml

from batching_lab.errors import NeedsNewerPython, SubmissionError
from batching_lab.submission.loading import imported_names, load_module
from batching_lab.submission.python_version import GRADING_PYTHON, version_text
from batching_lab.testing import grading_python
from batching_lab.testing.grading_python import LAZY_ANNOTATIONS, NEW_NAMES, GradingFinder, check_imports
from grader.grading.origin import about_python
from grader.paths import ROOT, SOLUTION
from grader.proving.helpers import RIGHT_SUBMISSIONS, make_submission, run_pytest

IS_LAZY = sys.version_info >= LAZY_ANNOTATIONS
GRADING = version_text(GRADING_PYTHON)

# line of the annotation, source
UNDEFINED = {
    "a parameter": (1, "def f(x: Foo): ...\n"),
    "one in a list": (1, "def f(x: list[Foo]): ...\n"),
    "positional only": (1, "def f(x: Foo, /): ...\n"),
    "keyword only": (1, "def f(*, x: Foo): ...\n"),
    "*args": (1, "def f(*args: Foo): ...\n"),
    "**kwargs": (1, "def f(**kwargs: Foo): ...\n"),
    "a return value": (1, "def f() -> Foo: ...\n"),
    "async": (1, "async def f(x: Foo): ...\n"),
    "the second line of a signature": (4, "class A:\n    def f(self,\n          x: int,\n          y: Foo): ...\n"),
    "behind a defined one": (2, "Bar = int\ndef f(x: Bar, y: Foo): ...\n"),
    "a decorated method": (3, "class A:\n    @property\n    def f(self) -> Foo: ...\n"),
    "a variable": (1, "x: Foo = 1\n"),
    "a variable without a value": (1, "x: Foo\n"),
    "an attribute": (2, "class A: pass\nA.x: Foo = 1\n"),
    "a class's variable": (2, "class A:\n    x: Foo\n"),
    "a dataclass": (4, "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: Foo\n"),
    "in an if": (2, "if True:\n    x: Foo = 1\n"),
    "in an else": (4, "if False:\n    pass\nelse:\n    x: Foo = 1\n"),
    "in a loop": (2, "for _ in range(2):\n    x: Foo = 1\n"),
    "in a with": (3, "import contextlib\nwith contextlib.nullcontext():\n    x: Foo = 1\n"),
    "in a finally": (4, "try:\n    pass\nfinally:\n    x: Foo = 1\n"),
    "in an except": (4, "try:\n    1 / 0\nexcept ZeroDivisionError:\n    x: Foo = 1\n"),
    "in a match": (3, "match 1:\n    case 1:\n        x: Foo = 1\n"),
    "a class below": (1, "def f(x: Foo): ...\nclass Foo: ...\n"),
    "its own class": (2, "class Foo:\n    def f(self) -> Foo: ...\n"),
    "a class's name below": (2, "class A:\n    def f(self, x: Foo): ...\n    Foo = int\n"),
    "for type checkers": (
        4,
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from foo import Foo\ndef f(x: Foo): ...\n",
    ),
    "a function in a function that runs": (2, "def f():\n    def g(x: Foo): ...\nf()\n"),
    "a class in a function that runs": (3, "def f():\n    class A:\n        x: Foo\nf()\n"),
    "a local name below": (2, "def f():\n    def g(x: Foo): ...\n    Foo = int\nf()\n"),
    "behind other letters": (1, "def f(ä: int, ß: 'ö', x: Foo): ...\n"),
}
OTHER_ERRORS = {
    "AttributeError": "import typing\ndef f(x: typing.Lst): ...\n",
    "TypeError": "def f(x: 'int' | None): ...\n",
    "ZeroDivisionError": "x: (1 / 0) = 1\n",
}
FINE = {
    "defined": "class Foo: ...\ndef f(x: Foo) -> list[Foo]: ...\ny: Foo\n",
    "in quotes": "def f(x: 'Foo') -> 'list[Foo]': ...\ny: 'Foo'\n",
    "all as text": "from __future__ import annotations\ndef f(x: Foo) -> Foo: ...\ny: Foo\n",
    "all as text, below a docstring": '"""About."""\nfrom __future__ import annotations\ndef f(x: Foo): ...\n',
    "for type checkers, in quotes": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from foo import Foo\n"
    "def f(x: 'Foo'): ...\n",
    "a local variable": "def f():\n    x: Foo = 1\n    return x\nassert f() == 1\n",
    "a local variable in a block": "def f():\n    for x in (1,):\n        y: Foo = x\n    return y\nassert f() == 1\n",
    "an attribute of self": "class A:\n    def __init__(self):\n        self.x: Foo = 1\nassert A().x == 1\n",
    "a function in a function that never runs": "def f():\n    def g(x: Foo): ...\n",
    "a branch that never runs": "if False:\n    x: Foo = 1\n    def f(x: Foo): ...\n",
    "caught": "try:\n    def f(x: Foo): ...\nexcept NameError:\n    def f(x): ...\n",
    "a class's name": "class A:\n    B = int\n    def f(self, x: B) -> B: ...\n    y: B = 1\n",
    "a class's private name": "class A:\n    __B = int\n    def f(self, x: __B) -> __B: ...\n    y: __B = 1\n",
    "a local name": "def f():\n    B = int\n    def g(x: B): ...\n    return g\nf()\n",
    "part of it never evaluated": "x: (int if True else Foo) = 1\ndef f(y: (lambda: Foo)): ...\n",
    "decorated": "import functools\nclass A:\n    @functools.cached_property\n    def x(self) -> int: return 1\n"
    "    @staticmethod\n    def y(a: int) -> int:\n        return a\nassert A().x == A.y(1) == 1\n",
    "a dataclass": "from dataclasses import dataclass, field\n@dataclass(slots=True)\nclass A:\n    x: int\n"
    "    y: list[int] = field(default_factory=list)\nassert A(1) == A(x=1, y=[])\n",
    "a named tuple": "from typing import NamedTuple\nclass A(NamedTuple):\n    x: int\n    y: str = ''\n"
    "assert A(1) == (1, '')\n",
    "an enum": "import enum\nclass A(enum.Enum):\n    X: int = 1\n    Y = 2\nassert len(A) == 2\n",
    "a protocol": "from typing import Protocol\nclass A(Protocol):\n    x: int\n    def f(self) -> int: ...\n",
    "read by the class": "class A:\n    def __init_subclass__(cls):\n        cls.names = [*cls.__annotations__]\n"
    "class B(A):\n    x: int\n    y: str\nassert B.names == ['x', 'y']\n",
    "read of a function": "def f(x: int) -> str: ...\nassert f.__annotations__ == {'x': int, 'return': str}\n",
    "long sums and long chains": f"x: int = {'+'.join(['1'] * 500)}\nif x == 0:\n    pass\n"
    + "".join(f"elif x == {n}:\n    y: int = {n}\n" for n in range(1, 300))
    + "assert x == 500\n",
}
GENERIC = {
    "type parameters": "def f[T](x: T) -> list[T]: ...\nclass A[T]:\n    x: T\n"
    "    def g[U](self, x: T, y: U) -> T: ...\n",
    "type X": "type X = Foo\ndef f(x: X): ...\n",
    "f-strings in f-strings": "x = f'{'a' + f'{'b'}'}'\nassert x == 'ab'\n",
}


@pytest.fixture
def load(tmp_path: Path) -> "Load":
    return Load(tmp_path)


class Load:
    """Imports scheduler.py as the public tests do, and says what they would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, text: str) -> str:
        (self.folder / "scheduler.py").write_text(text, encoding="utf-8")
        finder = GradingFinder(self.folder)
        try:
            if sys.version_info[:2] > GRADING_PYTHON:
                sys.meta_path.insert(0, finder)
            load_module(self.folder, "scheduler.py", imported_names(self.folder, "scheduler.py"))
        except SubmissionError as error:
            return str(error)
        finally:
            if finder in sys.meta_path:
                sys.meta_path.remove(finder)
            sys.modules.pop("scheduler", None)
        return ""


@pytest.mark.parametrize(("line", "text"), UNDEFINED.values(), ids=UNDEFINED.keys())
def test_an_annotation_that_names_nothing_is_told(load: Load, line: int, text: str) -> None:
    said = load(text)
    if IS_LAZY:
        assert said == (
            f"scheduler.py, line {line}: the annotation names `Foo`, which is not defined there: this works in Python "
            f"3.14 and newer only; grading uses Python {GRADING} (define it before, or put the annotation in quotes)"
        )
    else:
        assert re.search(r"can't be imported: (NameError|UnboundLocalError): .*'Foo'", said)


@pytest.mark.parametrize(("name", "text"), OTHER_ERRORS.items(), ids=OTHER_ERRORS.keys())
def test_an_annotation_that_can_not_be_evaluated_is_told(load: Load, name: str, text: str) -> None:
    said = load(text)
    if IS_LAZY:
        assert f"the annotation can't be evaluated ({name}: " in said and f"grading uses Python {GRADING}" in said
    else:
        assert f"can't be imported: {name}: " in said


@pytest.mark.parametrize("text", FINE.values(), ids=FINE.keys())
def test_what_runs_in_the_python_that_grades_is_left_alone(load: Load, text: str) -> None:
    assert load(text) == ""


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs the syntax of Python 3.12")
@pytest.mark.parametrize("text", GENERIC.values(), ids=GENERIC.keys())
def test_the_syntax_of_the_python_that_grades_is_left_alone(load: Load, text: str) -> None:
    assert load(text) == ""


@pytest.mark.parametrize("folder", [SOLUTION, *RIGHT_SUBMISSIONS], ids=lambda path: path.name)
def test_right_submissions_are_left_alone(load: Load, folder: Path) -> None:
    for path in folder.glob("*.py"):
        (load.folder / path.name).write_bytes(path.read_bytes())
    for name in ("scheduler.py", "kv_allocator.py"):
        assert load((folder / name).read_text(encoding="utf-8") if (folder / name).exists() else "") == ""


def test_an_error_of_another_kind_stays_what_it_is(load: Load) -> None:
    for text in ("def f(x: int = foo): ...\n", "x: int = foo\n", "def f(x: int): ...\nfoo\n"):
        assert "can't be imported: NameError: name 'foo' is not defined (scheduler.py, line " in load(text)


def test_a_file_beside_it_is_looked_at_too(load: Load) -> None:
    (load.folder / "helper.py").write_text("\ndef f(x: Foo): ...\n", encoding="utf-8")
    said = load("import helper\n")
    assert said.startswith("helper.py, line 2: the annotation names `Foo`" if IS_LAZY else "scheduler.py can't be")


def test_nothing_is_left_in_compiled_files(load: Load) -> None:
    """They would be used by whoever imports the submission without these checks."""
    load("def f(x: int): ...\n")
    compiled = list(load.folder.rglob("*.pyc"))
    assert compiled == [] if sys.version_info[:2] > GRADING_PYTHON else len(compiled) < 2


@pytest.mark.skipif(sys.version_info < LAZY_ANNOTATIONS, reason="needs the syntax of Python 3.14")
@pytest.mark.parametrize(
    ("line", "text"),
    [
        (3, "try:\n    pass\nexcept ValueError, KeyError:\n    pass\n    pass\n"),
        (7, "try:\n    pass\nexcept (A, B):\n    pass\ntry:\n    pass\nexcept* A, B:\n    pass\n"),
        (2, "a = 1\nx = t'{a}'\n"),
        (1, "class A[T = int]: ...\n"),
    ],
)
def test_syntax_of_a_newer_python_is_told(load: Load, line: int, text: str) -> None:
    said = load(text)
    assert re.fullmatch(
        rf"scheduler.py, line {line}: .+ only supported in Python 3.1[34] and greater; grading uses Python {GRADING}",
        said,
    )


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("import annotationlib\n", "annotationlib", (3, 14)),
        ("import compression.zstd as z\n", "compression", (3, 14)),
        ("from compression import zstd\n", "compression", (3, 14)),
        ("from concurrent import interpreters\n", "concurrent.interpreters", (3, 14)),
        ("from string.templatelib import Template\n", "string.templatelib", (3, 14)),
        ("from heapq import heappush, heappush_max\n", "heapq.heappush_max", (3, 14)),
        ("from copy import replace\n", "copy.replace", (3, 13)),
    ],
)
def test_an_import_that_only_a_newer_python_has_is_told(
    load: Load, text: str, name: str, version: tuple[int, int]
) -> None:
    said = load(f"\n{text}")
    if sys.version_info >= version:
        what = f"{name} is there in Python {version_text(version)} and newer only"
        assert said == f"scheduler.py, line 2: {what}; grading uses Python {GRADING}"
    else:
        assert re.match(
            r"scheduler.py(, line 2: | can't be imported: (Import|ModuleNotFound)Error| imports \w+: )", said
        )


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from heapq import heappush_max\nexcept ImportError:\n    heappush_max = None\n",
        "import sys\nif sys.version_info >= (3, 14):\n    from heapq import heappush_max\n",
        "def f():\n    from heapq import heappush_max\n",
        "import heapq, concurrent.futures, string, itertools\nfrom heapq import heappush\n",
    ],
)
def test_an_import_with_an_alternative_is_left_alone(load: Load, text: str) -> None:
    assert load(text) == ""


@pytest.mark.parametrize("version", NEW_NAMES, ids=version_text)
def test_the_list_of_new_names_is_right(version: tuple[int, int]) -> None:
    for name in NEW_NAMES[version].split():
        if name == "dbm.sqlite3":
            continue  # needs a module that not every system has
        assert exists(name) == (sys.version_info >= version), name


def exists(name: str) -> bool:
    parent, _, last = name.rpartition(".")
    with contextlib.suppress(ImportError):
        importlib.import_module(name)
        return True
    with contextlib.suppress(ImportError):
        return bool(parent) and hasattr(importlib.import_module(parent), last)
    return False


@pytest.mark.parametrize("grading", [(3, 11), (3, 12), (3, 13), (3, 14)], ids=version_text)
def test_the_python_that_grades_can_be_another_one(
    load: Load, grading: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A course that grades with 3.14 has nothing to say against what works there."""
    monkeypatch.setattr(grading_python, "GRADING_PYTHON", grading)
    tree = ast.parse("from heapq import heappush_max\n")
    if grading < (3, 14):
        with pytest.raises(NeedsNewerPython, match=f"grading uses Python {version_text(grading)}"):
            check_imports(tree, Path("scheduler.py"))
    else:
        check_imports(tree, Path("scheduler.py"))
    if IS_LAZY:
        assert ("grading uses" in load("def f(x: Foo): ...\n")) == (grading < LAZY_ANNOTATIONS)
    if sys.version_info >= (3, 12) and sys.version_info[:2] > GRADING_PYTHON:
        assert ("grading uses Python 3.11" in load("type X = int\n")) == (grading == (3, 11))


def test_a_student_is_told_in_one_sentence(tmp_path: Path) -> None:
    files = {"kv_allocator.py": "class BlockAllocator:\n    def allocate(self, x: Foo): ...\n"}
    code, output = run_pytest("--submission", str(make_submission(tmp_path / "copy", files=files)), "-q")
    sentence = "kv_allocator.py can't be imported: NameError: name 'Foo' is not defined (kv_allocator.py, line 2: "
    if IS_LAZY:
        sentence = (
            "kv_allocator.py, line 2: the annotation names `Foo`, which is not defined there: this works in Python"
        )
    assert code == 1 and sentence in output and "(11 tests could not run.)" in output
    assert f"Part 3: needs Part 2: {sentence}" in output and "FAILURES" not in output and "Traceback" not in output
    assert "Static and continuous batching 12 of 12 15.0 / 15" in re.sub(" +", " ", output)


def test_an_annotation_in_a_function_is_told_when_it_runs(tmp_path: Path) -> None:
    old = "        self.scheduled = {}\n        preempted: list[str] = []\n"
    new = f"{old}        def inner(x: Foo): ...\n"
    folder = make_submission(tmp_path / "copy", [("scheduler.py", old, new)])
    code, output = run_pytest("--submission", str(folder), "-k", "seed_continuous")
    assert code == 1 and "Your code raised NameError: name 'Foo' is not defined (in tick 1)." in output
    assert ("the annotation names `Foo`, which is not defined there: this works in Python 3.14" in output) == IS_LAZY


def test_a_right_submission_says_which_python_grades() -> None:
    code, output = run_pytest("--submission", "solution", "-k", "part1")
    assert code == 0
    assert f"The points are an estimate: hidden tests decide. They are run by Python {GRADING}." in output


def test_one_python_grades_everywhere() -> None:
    """Who grades with another one changes GRADING_PYTHON, and this test names the places that must follow."""
    for path in (".github/workflows/grade-class.yml", "grader/release/files/classroom.yml"):
        text = (ROOT / path).read_text(encoding="utf-8")
        versions = [
            step["with"]["python-version"]
            for job in yaml.safe_load(text)["jobs"].values()
            for step in job["steps"]
            if step.get("uses", "").startswith("actions/setup-python@")
        ]
        assert versions and set(versions) == {GRADING}, path
    assert f"python:{GRADING}" in (ROOT / "grader/release/files/devcontainer.json").read_text(encoding="utf-8")
    for path in ("handout.md", "grader/release/files/README.md", "README.md"):
        text = (ROOT / path).read_text(encoding="utf-8")
        assert re.findall(r"\b[Gg]rading\s+uses\s+Python\s+(\S*\d)", text) == [GRADING], path


def test_who_grades_with_an_older_python_than_students_are_told_reads_it() -> None:
    assert about_python((3, 11)) == [
        "This is Python 3.11, and students are told that 3.12 grades: what is new in 3.12 fails here."
    ]
    assert about_python((3, 12)) == about_python((3, 14)) == []
