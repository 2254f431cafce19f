"""The rubric and the hidden tests name each other, and add up to the table in the design."""

import ast
from pathlib import Path

import pytest

from batching_lab.testing.messages import PARTS
from grader.grading.rubric import load_rubric
from grader.paths import HIDDEN_TESTS

POINTS = {"0": 5, "1": 15, "2": 15, "3": 20, "4": 15, "5": 20, "6-cpu": 4, "6-gpu": 6}


def hidden_test_functions() -> dict[str, list[tuple[str, str | None]]]:
    """Number of a part -> (test id, docstring) of every test function in its file."""
    found: dict[str, list[tuple[str, str | None]]] = {}
    for path in sorted(HIDDEN_TESTS.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                part = path.name[len("test_part")]
                found.setdefault(part, []).append((node.name.removeprefix("test_"), ast.get_docstring(node)))
    return found


def test_points_are_those_of_the_design() -> None:
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


def test_wrong_sum_is_refused(tmp_path: Path) -> None:
    rubric = tmp_path / "rubric.toml"
    rubric.write_text(
        '[[part]]\nid = "1"\ntitle = "One"\npoints = 3.0\nseconds = 1\n'
        '[[test]]\nid = "a"\npart = "1"\npoints = 2.0\nrule = "R."\nhint = "H."\n',
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match="part 1 add up to 2, not 3"):
        load_rubric(rubric)
