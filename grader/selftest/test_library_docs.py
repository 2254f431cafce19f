"""What the library says of itself: every public function, in examples that are true, about files that are UTF-8."""

import ast
import doctest
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import batching_lab

LIBRARY = Path(batching_lab.__file__).parent
FILES = sorted(LIBRARY.rglob("*.py"))
MODULES = [
    info.name
    for info in pkgutil.walk_packages([str(LIBRARY)], "batching_lab.", onerror=lambda name: None)
    if not info.name.startswith("batching_lab.model") and not info.name.endswith("__main__")
]
WITH_EXAMPLES = {
    "batching_lab.commands.common",
    "batching_lab.difference",
    "batching_lab.tables",
    "batching_lab.timing.stopwatch",
    "batching_lab.workloads.command_line",
    "batching_lab.workloads.jobs",
    "batching_lab.workloads.pool",
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    """In all modules that need no PyTorch."""
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0
    assert (result.attempted > 0) == (name in WITH_EXAMPLES)


def test_no_module_with_examples_is_left_out() -> None:
    assert set(MODULES) >= WITH_EXAMPLES


def undocumented(tree: ast.AST, where: str) -> Iterator[str]:
    """The public classes and functions without a docstring; the calls of an interface have theirs in the class."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            is_call_of_interface = isinstance(node, ast.FunctionDef) and ast.unparse(node.body[0]) == "..."
            if not node.name.startswith("_") and not ast.get_docstring(node) and not is_call_of_interface:
                yield f"{where}.{node.name}"
            if isinstance(node, ast.ClassDef):
                yield from undocumented(node, f"{where}.{node.name}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(LIBRARY)))
def test_every_public_function_says_what_it_does(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree) or not tree.body
    assert list(undocumented(tree, path.stem)) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(LIBRARY)))
def test_files_are_read_and_written_as_utf8(path: Path) -> None:
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    unstated = []
    for call in calls:
        name, modes = ast.unparse(call.func), [ast.unparse(argument) for argument in call.args]
        opens = re.search(r"(?<!common)\.(read_text|write_text)$|(?<!os)\.open$|^open$|\.fdopen$", name)
        is_binary = any(mode in ("'rb'", "'wb'") for mode in modes)
        if opens and not is_binary and not any(keyword.arg == "encoding" for keyword in call.keywords):
            unstated.append(f"line {call.lineno}: {ast.unparse(call)}")
    assert unstated == []
