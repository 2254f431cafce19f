"""The correct submissions are worth having only while they are really different programs."""

import ast
from collections import defaultdict
from pathlib import Path
from textwrap import indent

from grader.paths import SOLUTION
from grader.proving.helpers import RIGHT_SUBMISSIONS


def function_bodies(folder: Path) -> dict[str, str]:
    """The text of each body of more than three statements, inner ones counted, without its docstring -> where it is."""
    bodies = {}
    for path in sorted(folder.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                if sum(isinstance(inner, ast.stmt) for statement in body for inner in ast.walk(statement)) > 3:
                    bodies["\n".join(map(ast.unparse, body))] = f"{folder.name}/{path.name}, {node.name}"
    return bodies


def shared_bodies(folders: list[Path]) -> list[list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for folder in folders:
        for body, place in function_bodies(folder).items():
            found[body].append(place)
    return [places for places in found.values() if len(places) > 1]


def test_right_submissions_share_no_code() -> None:
    assert shared_bodies([SOLUTION, *RIGHT_SUBMISSIONS]) == []
    for folder in RIGHT_SUBMISSIONS:
        assert len(function_bodies(folder)) >= 10, folder.name


def test_a_shared_body_is_found(tmp_path: Path) -> None:
    body = "    if x:\n        y = 1\n    z = 2\n    return z\n"
    texts = {
        "one": f"def f(x):\n    '''What f does.'''\n{body}",
        "two": f"class C:\n    def g(self, x: int) -> int:\n{indent(body, '    ')}",
        "other": f"def f(x):\n{body}".replace("2", "3"),
    }
    for name, text in texts.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "scheduler.py").write_text(text, encoding="utf-8")
    folders = [tmp_path / name for name in texts]
    assert shared_bodies(folders) == [["one/scheduler.py, f", "two/scheduler.py, g"]]
