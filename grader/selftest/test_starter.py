"""The starter is the solution without its solutions."""

import ast

import pytest

from grader.paths import ROOT
from grader.proving.helpers import FILES
from grader.tools.starter import BEGIN, END, cut_solution, starter_text


@pytest.mark.parametrize("name", FILES)
def test_starter_is_generated_from_solution(name: str) -> None:
    committed = (ROOT / "starter" / name).read_text(encoding="utf-8")
    assert committed == starter_text(name), "run: python -m grader starter"


def test_starter_has_the_signatures_and_docstrings_of_the_solution() -> None:
    for name in ("scheduler.py", "kv_allocator.py"):
        starter, solution = (
            {
                f"{cls.name}.{method.name}": (ast.unparse(method.args), ast.get_docstring(method))
                for cls in ast.walk(ast.parse((ROOT / folder / name).read_text(encoding="utf-8")))
                if isinstance(cls, ast.ClassDef)
                for method in cls.body
                if isinstance(method, ast.FunctionDef)
            }
            for folder in ("starter", "solution")
        )
        assert starter and starter.items() <= solution.items()
        assert all(docstring for _, docstring in starter.values())


def test_cut_in_a_function() -> None:
    text = f"def f():\n    x = 1\n    {BEGIN}\n    return 2\n    {END}\n"
    assert cut_solution(text, is_toml=False) == "def f():\n    x = 1\n    raise NotImplementedError\n"


def test_cut_outside_of_functions_leaves_nothing() -> None:
    assert cut_solution(f"import a\n{BEGIN}\nimport b\n{END}\n", is_toml=False) == "import a\n"


def test_cut_in_toml_leaves_the_question() -> None:
    assert cut_solution(f"# ?\n{BEGIN}\nx = 5\n{END}\n", is_toml=True) == '# ?\nx = "?"\n'


@pytest.mark.parametrize("text", [f"{BEGIN}\n", f"{END}\n", f"{BEGIN}\n{BEGIN}\n{END}\n"])
def test_markers_must_pair_up(text: str) -> None:
    with pytest.raises(ValueError, match="SOLUTION"):
        cut_solution(text, is_toml=False)
