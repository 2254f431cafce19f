"""The rubric and the hidden tests name each other, and add up to the parts' points."""

import ast
import dataclasses
import re
from pathlib import Path

import pytest

from batching_lab.config import SchedulerConfig
from batching_lab.difference import parse_ticks
from batching_lab.testing.messages import PARTS
from batching_lab.workloads.jobs import parse_jobs
from grader.grading.rubric import load_rubric
from grader.paths import HIDDEN_TESTS, ROOT

POINTS = {"0": 5, "1": 15, "2": 15, "3": 20, "4": 15, "5": 20, "6-cpu": 4, "6-gpu": 6}

LIMITS = [field.name for field in dataclasses.fields(SchedulerConfig)]
ORDER = [*LIMITS[:-1], "num_blocks", "block_size", LIMITS[-1], "rule", "refused", "ticks"]
FILES_WITH_TABLES = [
    path
    for folder in (ROOT / "tests", HIDDEN_TESTS)
    for path in sorted(folder.glob("test_part*.py"))
    if "lab.expect(" in path.read_text(encoding="utf-8")
]


def hidden_test_functions() -> dict[str, list[tuple[str, str | None]]]:
    """Number of a part -> (test id, docstring) of every test function in its file."""
    found: dict[str, list[tuple[str, str | None]]] = {}
    for path in sorted(HIDDEN_TESTS.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                part = path.name[len("test_part")]
                found.setdefault(part, []).append((node.name.removeprefix("test_"), ast.get_docstring(node)))
    return found


def test_points_are_those_that_students_are_told() -> None:
    rubric = load_rubric()
    assert {part.id: part.points for part in rubric.values()} == POINTS
    for part in rubric.values():
        if part.tests:
            assert sum(test.points for test in part.tests) == part.points


def test_public_table_of_points_is_the_rubrics() -> None:
    rubric = load_rubric()
    for part, (title, points) in PARTS.items():
        assert title.startswith(rubric[part].title) and points == rubric[part].points


def test_rubric_and_tests_name_each_other() -> None:
    functions = hidden_test_functions()
    assert set(functions) == {part.number for part in load_rubric().values() if part.has_hidden_tests}
    for part in load_rubric().values():
        named = [test.id for test in part.tests]
        assert len(named) == len(set(named))
        if part.has_hidden_tests:
            assert set(named) == {name for name, _ in functions[part.number]}, part.id
    every_id = [test.id for part in load_rubric().values() for test in part.tests]
    assert len(every_id) == len(set(every_id))


def test_every_hidden_test_has_a_title_a_rule_and_a_hint() -> None:
    assert all(doc and doc.strip() for tests in hidden_test_functions().values() for _, doc in tests)
    for part in load_rubric().values():
        for test in part.tests:
            assert test.points > 0 and test.rule.endswith(".") and test.hint[-1] in ".?", test.id


def test_hidden_tests_use_no_bare_assert() -> None:
    """An assert would print expected values into a student's feedback."""
    for path in HIDDEN_TESTS.glob("test_*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert)], path.name


@pytest.mark.parametrize("path", FILES_WITH_TABLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_a_table_depends_on_stands_above_it(path: Path) -> None:
    """Policy, jobs, limits, rule, who is refused, table: in this order, and a pool with its block size."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "expect":
            names = [keyword.arg or "" for keyword in call.keywords]
            where = f"{path.name}, line {call.lineno}: {names}"
            assert len(call.args) == 2 and names == sorted(names, key=ORDER.index), where
            assert names[-1] == "ticks" and isinstance(call.keywords[-1].value, ast.Constant | ast.JoinedStr), where
            assert ("num_blocks" in names) == ("block_size" in names), where


@pytest.mark.parametrize("path", FILES_WITH_TABLES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_head_of_a_file_shows_how_to_read_it(path: Path) -> None:
    """With examples: jobs and a tick that can be read, and what a block holds where there are blocks."""
    text = path.read_text(encoding="utf-8")
    head = ast.get_docstring(ast.parse(text)) or ""
    examples = re.findall(r"`([^`]+)`", head)
    assert [parse_jobs(example) for example in examples if re.match("[A-Z]=", example)]
    ticks = [example for example in examples if re.match(r"\d+  ", example)]
    assert [parse_ticks(re.sub(r"^\d+", "1", tick)) for tick in ticks]
    assert "`block_size`" in head or "/ block_size" in head or "block_size=" not in text


def test_wrong_sum_is_refused(tmp_path: Path) -> None:
    rubric = tmp_path / "rubric.toml"
    rubric.write_text(
        '[[part]]\nid = "1"\ntitle = "One"\npoints = 3.0\nseconds = 1\n'
        '[[test]]\nid = "a"\npart = "1"\npoints = 2.0\nrule = "R."\nhint = "H."\n',
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match="part 1 add up to 2, not 3"):
        load_rubric(rubric)
