"""Loads a submission: the folder with a student's scheduler.py, kv_allocator.py and answers.toml."""

import ast
import importlib
import sys
import tomllib
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from batching_lab.config import SCHEDULER_CLASSES
from batching_lab.errors import NeedsNewerPython, SubmissionError

LATER_MODULES = {"annotationlib", "compression"}  # of the standard library from 3.14 on; there may be an alternative
RESERVED_NAMES = {"batching_lab", "grader", "pytest", "pytest_timeout", "numpy", "torch"}

CLASS_FILES = {**dict.fromkeys(SCHEDULER_CLASSES.values(), "scheduler.py"), "BlockAllocator": "kv_allocator.py"}
HOLD_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
METHODS = {
    **dict.fromkeys(SCHEDULER_CLASSES.values(), ("add_request", "abort", "schedule", "update", "has_unfinished")),
    "BlockAllocator": ("blocks_needed", "can_allocate", "allocate", "block_table", "free"),
}


class Submission:
    """A submission folder whose files are loaded on first use, each on its own.

    A fault in one file is a `SubmissionError` for whoever asks for a class of that file, and for nobody else.
    """

    def __init__(self, folder: Path, imports: Mapping[str, Iterable[str]] | None = None) -> None:
        """imports: file -> its `imported_names`, where they are known already

        Raises `SubmissionError` if there is no such folder.
        """
        self.folder = folder.absolute()
        self.imports = imports or {}
        if not folder.is_dir():
            raise SubmissionError(f"there is no submission folder {folder}")
        self.modules: dict[str, ModuleType | SubmissionError] = {}

    def get_class(self, name: str) -> type[Any]:
        """`StaticScheduler`, `ContinuousScheduler` or `BlockAllocator`, with all its methods."""
        file_name = CLASS_FILES[name]
        cls = getattr(self._module(file_name), name, None)
        if not isinstance(cls, type):
            raise SubmissionError(f"{file_name} has no class {name}")
        for method in METHODS[name]:
            if not hasattr(cls, method):
                raise SubmissionError(f"{file_name}: the class {name} has no {method}")
        return cls

    def answers(self) -> dict[str, Any]:
        """The contents of answers.toml."""
        path = self.folder / "answers.toml"
        try:
            return tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError:
            raise SubmissionError("answers.toml is missing") from None
        except UnicodeDecodeError:
            raise SubmissionError("answers.toml is not UTF-8 text") from None
        except tomllib.TOMLDecodeError as error:
            raise SubmissionError(f"answers.toml is not valid TOML: {error}") from None
        except (ValueError, RecursionError):
            raise SubmissionError("answers.toml holds a number or a nesting that is too large") from None

    def _module(self, file_name: str) -> ModuleType:
        if file_name not in self.modules:
            try:
                names = self.imports.get(file_name) or imported_names(self.folder, file_name)
                self.modules[file_name] = load_module(self.folder, file_name, names)
            except SubmissionError as error:
                self.modules[file_name] = error
        module = self.modules[file_name]
        if isinstance(module, SubmissionError):
            raise SubmissionError(str(module))  # a new one: an exception raised again drags its old tracebacks along
        return module


def load_module(folder: Path, file_name: str, names: Iterable[str]) -> ModuleType:
    """Import one file of a submission, and nothing of the same names from elsewhere.

    names  see `imported_names`

    Raises `SubmissionError` with one sentence if the file raises or can't be imported.
    """
    for name in names:  # of another submission, or of starter/, which an editable install has on the path
        if name in sys.modules and Path(getattr(sys.modules[name], "__file__", None) or "").parent != folder:
            del sys.modules[name]
    if str(folder) in sys.path:
        sys.path.remove(str(folder))
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        return importlib.import_module(Path(file_name).stem)
    except (KeyboardInterrupt, NeedsNewerPython):
        raise
    except BaseException as error:  # sys.exit() at import is the student's fault too, and not the end of the run
        raise SubmissionError(f"{file_name} can't be imported: {error_text(error, folder)}") from error


def imported_names(folder: Path, file_name: str) -> set[str]:
    """The submission's own modules that a file needs, itself among them.

    Raises `SubmissionError` for a missing file, a syntax error, a file that shadows a module, or an
    import of anything but the standard library, `batching_lab` and the submission's own files.
    """
    own_names = {path.stem for path in folder.glob("*.py")}
    for name in sorted(own_names):
        if name in sys.stdlib_module_names or name in RESERVED_NAMES:
            raise SubmissionError(f"{name}.py has the name of a module that others import: give the file another name")
    needed: set[str] = set()
    todo = [Path(file_name).stem]
    while todo:
        name = todo.pop()
        try:
            imports = imports_of(folder / f"{name}.py")
        except SubmissionError:
            if not needed:
                raise
            imports = set()  # a broken file costs whoever really imports it: that shows when it happens
        needed.add(name)
        for imported in imports:
            if imported in own_names:
                if imported not in needed:
                    todo.append(imported)
            elif imported not in sys.stdlib_module_names | LATER_MODULES and imported != "batching_lab":
                raise SubmissionError(
                    f"{name}.py imports {imported}: a submission may import the standard library, batching_lab "
                    "and its own .py files, nothing else"
                )
    return needed


def imports_of(path: Path) -> set[str]:
    """The top-level names of the modules that a file imports."""
    try:
        tree = ast.parse(path.read_bytes(), filename=str(path))
    except OSError:
        raise SubmissionError(f"{path.name} is missing") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SubmissionError(f"{path.name} can't be imported: {error_text(error, path.parent)}") from error
    names: set[str] = set()
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module.partition(".")[0])
        if isinstance(node, ast.If) and never_holds(node.test):
            todo += node.orelse
        else:
            todo += [child for child in ast.iter_child_nodes(node) if isinstance(child, HOLD_STATEMENTS)]
    return names


def never_holds(condition: ast.expr) -> bool:
    """For a submission that is imported: TYPE_CHECKING, __name__ == "__main__"."""
    text = ast.unparse(condition)
    return text.endswith("TYPE_CHECKING") or text == "__name__ == '__main__'"


def error_text(error: BaseException, folder: Path) -> str:
    """An exception in one line, with the last line of the submission that it came through."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"syntax error in {Path(error.filename).name}, line {error.lineno}: {error.msg}"
    try:
        what = " ".join(str(error).split())
    except Exception:  # the student's own __str__
        what = ""
    text = f"{type(error).__name__}: {what}" if what else type(error).__name__
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if Path(frame.filename).parent == folder:
            return f"{text} ({Path(frame.filename).name}, line {frame.lineno}: {frame.line})"
    return text
