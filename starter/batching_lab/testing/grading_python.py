"""What a submission would not do under the Python that grades, though it does it under a newer one.

A student's Python may be newer than the grader's. Found are syntax that only a newer version takes, the imports below
at the top level of a file, and annotations: from Python 3.14 on they are evaluated when somebody asks for them, before
that where they stand. So a newer Python here runs the submission's files as an older one would, with every annotation
evaluated in its place; what then fails is told in a sentence. Nothing is said about a submission that runs under both.

Not found: what a newer library can do beyond these names, such as a new parameter or a module's new attribute. If the
Python that grades is older than 3.12, neither are the f-strings of 3.12.
"""

import ast
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from batching_lab.errors import NeedsNewerPython
from batching_lab.submission.loading import HOLD_STATEMENTS
from batching_lab.submission.python_version import GRADING_PYTHON, version_text

LAZY_ANNOTATIONS = (3, 14)  # the first version that has them

# Modules of the standard library and names in them, as far as a submission might import them.
NEW_NAMES = {
    (3, 12): "itertools.batched typing.override typing.TypeAliasType collections.abc.Buffer inspect.BufferFlags "
    "calendar.Month calendar.Day",
    (3, 13): "asyncio.QueueShutDown copy.replace dbm.sqlite3 glob.translate math.fma pathlib.UnsupportedOperation "
    "queue.ShutDown re.PatternError statistics.kde statistics.kde_random types.CapsuleType typing.NoDefault "
    "typing.ReadOnly typing.TypeIs typing.get_protocol_members typing.is_protocol warnings.deprecated enum.EnumDict "
    "os.process_cpu_count builtins.PythonFinalizationError",
    (3, 14): "annotationlib compression concurrent.futures.InterpreterPoolExecutor concurrent.interpreters "
    "decimal.IEEEContext functools.Placeholder heapq.heapify_max heapq.heappop_max heapq.heappush_max "
    "heapq.heappushpop_max heapq.heapreplace_max io.Reader io.Writer operator.is_none operator.is_not_none "
    "pathlib.types string.templatelib typing.evaluate_forward_ref uuid.uuid6 uuid.uuid7 uuid.uuid8 "
    "os.reload_environ inspect.ispackage ast.compare asyncio.capture_call_graph",
}


class GradingFinder:
    """Finds the modules of one folder, for `sys.meta_path`, and has them loaded as the Python that grades would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find_spec(self, name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target)
        if spec is None or type(spec.loader) is not SourceFileLoader or Path(spec.loader.path).parent != self.folder:
            return None
        spec.loader = GradingLoader(name, spec.loader.path)
        return spec


class GradingLoader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        """Without a look at compiled files: they are for who imports the submission as it is."""
        source = self.get_data(self.path)
        tree = ast.parse(source, self.path)
        check_syntax(source, tree, Path(self.path))
        check_imports(tree, Path(self.path))
        if GRADING_PYTHON < LAZY_ANNOTATIONS <= sys.version_info:
            evaluate_annotations(tree)
        code: CodeType = compile(tree, self.path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: ModuleType) -> None:
        try:
            super().exec_module(module)
        except Exception as error:
            if sentence := annotation_sentence(error, Path(self.path).parent):
                raise NeedsNewerPython(sentence) from error
            raise


def check_syntax(source: bytes, tree: ast.Module, path: Path) -> None:
    """For source that this Python takes."""
    try:
        ast.parse(source, feature_version=GRADING_PYTHON)
    except SyntaxError as error:
        handlers = [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and is_bare(node.type)]
        line = handlers[0].lineno if handlers and error.msg.startswith("except") else error.lineno or 1
        raise needs_newer(path, line, error.msg) from None


def is_bare(caught: ast.expr | None) -> bool:
    """`except A, B:`, for which the error names the last line of the block."""
    if not isinstance(caught, ast.Tuple) or not caught.elts:
        return False
    return (caught.elts[0].lineno, caught.elts[0].col_offset) == (caught.lineno, caught.col_offset)


def check_imports(tree: ast.Module, path: Path) -> None:
    """Only of what the file imports in any case: what stands in a block may have an alternative."""
    new = {name: version for version, names in NEW_NAMES.items() for name in names.split()}
    for node in tree.body:
        for name in imported_paths(node):
            for part in (name[:end] for end, char in enumerate(f"{name}.") if char == "."):
                if new.get(part, GRADING_PYTHON) > GRADING_PYTHON:
                    what = f"{part} is there in Python {version_text(new[part])} and newer only"
                    raise needs_newer(path, node.lineno, what)


def imported_paths(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        return [f"{node.module}.{alias.name}" for alias in node.names]
    return []


def evaluate_annotations(tree: ast.Module) -> None:
    """Change a module so that its annotations are evaluated when and where Python 3.13 and older do it.

    For a function that is when its `def` runs, after the defaults: a last decorator asks for them. For an annotated
    assignment of a module or a class it is after the assignment; inside of a function never.
    """
    if any(isinstance(node, ast.ImportFrom) and is_future_annotations(node) for node in tree.body):
        return
    todo: list[tuple[ast.AST, bool]] = [(tree, False)]
    while todo:
        node, is_in_function = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_in_function = True
            if annotations := function_annotations(node):
                node.decorator_list.append(asks_for_annotations(annotations[0]))
        elif isinstance(node, ast.ClassDef):
            is_in_function = False
        for _, children in ast.iter_fields(node):
            if isinstance(children, list) and children and isinstance(children[0], HOLD_STATEMENTS):
                todo += [(child, is_in_function) for child in children]
                if not is_in_function:
                    children[:] = [part for child in children for part in with_annotation(child)]


def is_future_annotations(node: ast.ImportFrom) -> bool:
    return node.module == "__future__" and any(alias.name == "annotations" for alias in node.names)


def function_annotations(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.expr]:
    spec = node.args
    arguments = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg]
    annotations = [argument.annotation for argument in arguments if argument is not None]
    return [annotation for annotation in (*annotations, node.returns) if annotation is not None]


def asks_for_annotations(place: ast.expr) -> ast.expr:
    """A decorator; whatever goes wrong in it has the place of an annotation."""
    decorator = ast.parse("lambda function: (function.__annotations__, function)[1]", mode="eval").body
    for node in ast.walk(decorator):
        ast.copy_location(node, place)
    return decorator


def with_annotation(node: ast.AST) -> list[ast.AST]:
    """A statement and, if it is an annotated assignment, one that evaluates the annotation."""
    if not isinstance(node, ast.AnnAssign):
        return [node]
    return [node, ast.copy_location(ast.Expr(node.annotation), node.annotation)]


def annotation_sentence(error: BaseException, folder: Path) -> str:
    """What to tell about an exception that comes from evaluating an annotation; "" if it does not."""
    if sys.version_info < LAZY_ANNOTATIONS or GRADING_PYTHON >= LAZY_ANNOTATIONS:
        return ""  # then it is an exception like any other
    sentence = ""
    step = error.__traceback__
    while step is not None:
        path = Path(step.tb_frame.f_code.co_filename)
        line, column = instruction_place(step.tb_frame.f_code, step.tb_lasti)
        if path.parent == folder and is_in_annotation(path, line, column):
            what = f"can't be evaluated ({type(error).__name__}: {' '.join(str(error).split())})"
            if isinstance(error, NameError) and error.name:
                what = f"names `{error.name}`, which is not defined there"
            what = f"the annotation {what}: this works in Python 3.14 and newer only"
            sentence = f"{needs_newer(path, line, what)} (define it before, or put the annotation in quotes)"
        step = step.tb_next
    return sentence


def instruction_place(code: CodeType, offset: int) -> tuple[int, int]:
    """Line and column; (0, 0) if the code does not know them."""
    for number, (line, _, column, _) in enumerate(code.co_positions()):
        if number == offset // 2:
            return line or 0, column or 0
    return 0, 0


def is_in_annotation(path: Path, line: int, column: int) -> bool:
    return any(
        (annotation.lineno, annotation.col_offset)
        <= (line, column)
        < (annotation.end_lineno or 0, annotation.end_col_offset or 0)
        for annotation in annotations_of(path)
    )


def annotations_of(path: Path) -> Iterator[ast.expr]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from function_annotations(node)
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation


def needs_newer(path: Path, line: int, what: str) -> NeedsNewerPython:
    return NeedsNewerPython(f"{path.name}, line {line}: {what}; grading uses Python {version_text(GRADING_PYTHON)}")
