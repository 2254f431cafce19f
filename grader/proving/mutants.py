"""`make mutants`: does a hidden test notice every small change to the solution?

cosmic-ray's operators make the changes, one a mutant. Its own runner is not used: it starts pytest anew and writes
into the solution for each mutant. Here each mutant is a folder of its own and a forked process, in which the hidden
tests are loaded already and stop at the first failure.

A mutant that no test notices is either a missing test or equivalent: no run that the contract allows can tell it from
the solution. `equivalent_mutants.toml` says why, a sentence each.
"""

import argparse
import ast
import contextlib
import json
import math
import multiprocessing
import multiprocessing.connection
import resource
import signal
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Generator, Iterable
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Literal

import pytest

from batching_lab.config import SchedulerConfig
from batching_lab.harness import Harness, Policy
from batching_lab.interfaces import KVAllocator, Scheduler
from batching_lab.submission.loading import Submission
from grader.grading.plugin import GradingPlugin
from grader.grading.run_tests import run_pytest
from grader.grading.runnable import MODEL_PART, runnable_parts
from grader.paths import SOLUTION
from grader.proving.helpers import make_submission
from grader.worker.block_pool import BlockPool

FILES = ("scheduler.py", "kv_allocator.py")
EQUIVALENT_FILE = Path(__file__).with_name("equivalent_mutants.toml")
CPU_FACTOR = 5  # of what the solution takes
MEMORY = 4 * 2**30

Status = Literal["killed", "timed_out", "survived"]
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Mutant:
    """One changed file of the solution. `original` and `mutated` are the lines that differ, without indentation."""

    file: str
    line: int
    function: str
    original: str
    mutated: str
    text: str

    @property
    def key(self) -> Key:
        """Stays the same when lines elsewhere change."""
        return self.file, self.function, self.original, self.mutated

    def __str__(self) -> str:
        lines = [f"solution/{self.file}:{self.line}, {self.function}"]
        lines += [f"  - {line}" for line in self.original.splitlines()]
        lines += [f"  + {line}" for line in self.mutated.splitlines()]
        return "\n".join(lines)


@dataclass(frozen=True)
class Verdict:
    """What the hidden tests say of a mutant; killed_by: the first test that failed."""

    mutant: Mutant
    status: Status
    killed_by: str | None = None


@dataclass
class Tally:
    """`complaints` holds a text for every mutant that is neither killed nor explained, and every wrong explanation."""

    killed: int = 0
    timed_out: int = 0
    equivalent: int = 0
    survived: int = 0
    seconds: float = 0.0
    verdicts: list[Verdict] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def make_mutants(file: str, text: str, operator_names: Iterable[str] = ()) -> list[Mutant]:
    """All mutants of a file that cosmic-ray's operators make (none named: all of them that need no arguments).

    Left out: what is no Python, what only changes annotations, and what reads the same as an earlier mutant.
    """
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator
    from cosmic_ray.plugins import operator_names as all_operator_names

    seen = {code_of(text)}
    mutants = []
    for name in operator_names or sorted(all_operator_names()):
        if name in ("core/VariableInserter", "core/VariableReplacer"):
            continue  # they ask for the names of variables
        operator = get_operator(name)()
        occurrence = 0
        while (mutated := mutate_code(text, operator, occurrence)) is not None:
            occurrence += 1
            code = ""
            with contextlib.suppress(SyntaxError):
                code = code_of(mutated)
            if code and code not in seen:
                seen.add(code)
                mutants.append(mutant_of(file, text, mutated))
    return sorted(mutants, key=lambda mutant: (mutant.line, mutant.mutated))


def code_of(text: str) -> str:
    """What a file does: its syntax tree without annotations."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign):
            node.annotation = ast.Constant(None)
    return ast.dump(tree)


def mutant_of(file: str, text: str, mutated: str) -> Mutant:
    """The mutant that a changed text is."""
    before, after = text.splitlines(), mutated.splitlines()
    start = next(number for number, (old, new) in enumerate(zip(before, after, strict=False)) if old != new)
    same = 0  # lines at the end
    while same < min(len(before), len(after)) - start and before[-1 - same] == after[-1 - same]:
        same += 1
    old, new = ("\n".join(map(str.strip, lines[start : len(lines) - same])) for lines in (before, after))
    return Mutant(file, start + 1, function_at(text, start + 1), old, new, mutated)


def function_at(text: str, line: int) -> str:
    """`Class.method` or `function` around a line, "" outside of them."""
    names = []
    nodes: list[ast.stmt] = ast.parse(text).body
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first <= line <= (node.end_lineno or first):
                names.append(node.name)
                nodes = list(node.body)
    return ".".join(names)


class InProcess(Harness):
    """The submission without a worker, but as in one: with the grader's allocator where grading uses that, and with a
    configuration whose texts and numbers are equal to the grader's, but not the same objects.
    """

    def __init__(self, submission: Submission, own_allocator: bool) -> None:
        super().__init__(submission)
        self.own_allocator = own_allocator

    def allocator(self, num_blocks: int, block_size: int) -> KVAllocator:
        return super().allocator(num_blocks, block_size) if self.own_allocator else BlockPool(num_blocks, block_size)

    def scheduler(self, policy: Policy, config: SchedulerConfig, allocator: KVAllocator | None = None) -> Scheduler:
        return super().scheduler(policy, SchedulerConfig(**json.loads(json.dumps(asdict(config)))), allocator)


def first_failure(folder: Path) -> str | None:
    """Run the hidden tests on a submission, in this process, up to the first that fails."""
    submission = Submission(folder)

    @contextlib.contextmanager
    def make(part: str, own_allocator: bool) -> Generator[Harness]:
        yield InProcess(submission, own_allocator)

    parts = [part for part in runnable_parts() if part.id != MODEL_PART]  # it is slow and sees no more
    plugin = GradingPlugin({test.id: test for part in parts for test in part.tests}, make, "none")
    exit_code, output = run_pytest(parts, plugin, "-x")
    if exit_code == pytest.ExitCode.OK:
        return None
    if exit_code != pytest.ExitCode.TESTS_FAILED:
        raise RuntimeError(f"pytest ended with {exit_code!r}\n{output[-2000:]}")
    passed = {test.id for test in plugin.results.values() if test.status == "passed"}
    return next(test_id for test_id in plugin.tests if test_id not in passed)


def try_mutant(folder: Path, cpu_seconds: int, to_parent: Connection) -> None:
    """In a process of its own. A busy machine does not shorten its time: only what it computes itself counts."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    to_parent.send(first_failure(folder))


@dataclass(frozen=True)
class Trial:
    """A mutant on which the hidden tests run, in a process of their own."""

    mutant: Mutant
    process: ForkProcess
    from_child: Connection

    def verdict(self) -> Verdict:
        """Once the process has ended. Raises `RuntimeError` if it was not the tests that ended it."""
        self.process.join()
        if self.from_child.poll():
            with contextlib.suppress(EOFError):
                failed: str | None = self.from_child.recv()
                return Verdict(self.mutant, "killed" if failed else "survived", failed)
        if self.process.exitcode == -signal.SIGXCPU:
            return Verdict(self.mutant, "timed_out")
        raise RuntimeError(f"the hidden tests broke (exit code {self.process.exitcode}) with {self.mutant}")


def try_mutants(mutants: Iterable[Mutant], jobs: int, cpu_seconds: int | None = None) -> Generator[Verdict]:
    """Run the hidden tests on each mutant, `jobs` at a time. Raises `RuntimeError` if the solution itself fails.

    cpu_seconds  what one mutant may take; None: a multiple of what the solution takes
    """
    start = time.process_time()
    if failed := first_failure(SOLUTION):  # loads all that the forked processes need, too
        raise RuntimeError(f"the solution fails the hidden test {failed}")
    if cpu_seconds is None:
        cpu_seconds = math.ceil(CPU_FACTOR * max(1.0, time.process_time() - start))
    context = multiprocessing.get_context("fork")
    todo = list(mutants)[::-1]
    running: dict[int, Trial] = {}
    with tempfile.TemporaryDirectory(prefix="batching-lab-") as root:
        while todo or running:
            while todo and len(running) < jobs:
                mutant = todo.pop()
                folder = make_submission(Path(root, f"mutant{len(todo)}").resolve(), files={mutant.file: mutant.text})
                from_child, to_parent = context.Pipe(duplex=False)
                process = context.Process(target=try_mutant, args=(folder, cpu_seconds, to_parent), daemon=True)
                process.start()
                to_parent.close()
                running[process.sentinel] = Trial(mutant, process, from_child)
            for sentinel in multiprocessing.connection.wait(list(running)):
                assert isinstance(sentinel, int)
                yield running.pop(sentinel).verdict()


@dataclass(frozen=True)
class Explanation:
    """Why these mutants of one line are equivalent."""

    file: str
    function: str
    original: str
    mutated: tuple[str, ...]
    reason: str

    @property
    def keys(self) -> list[Key]:
        """Of the mutants that it explains."""
        return [(self.file, self.function, self.original, mutated) for mutated in self.mutated]


def load_explanations(path: Path = EQUIVALENT_FILE) -> list[Explanation]:
    """Why some mutants can't be told from the solution."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["equivalent"]
    return [Explanation(**{**entry, "mutated": tuple(entry["mutated"])}) for entry in entries]


def judge(verdicts: Iterable[Verdict], explanations: Iterable[Explanation]) -> Tally:
    """Count, and complain of survivors without an explanation and of explanations without a survivor."""
    tally = Tally(verdicts=list(verdicts))
    unused = Counter(key for explanation in explanations for key in explanation.keys)
    explained = set(unused)
    for verdict in tally.verdicts:
        mutant = verdict.mutant
        unused[mutant.key] -= 1
        if verdict.status == "survived" and mutant.key in explained:
            tally.equivalent += 1
        elif verdict.status == "survived":
            tally.survived += 1
            tally.complaints.append(f"No hidden test notices {mutant}")
        else:
            tally.killed += verdict.status == "killed"
            tally.timed_out += verdict.status == "timed_out"
            if mutant.key in explained:
                by = f"{verdict.killed_by} fails" if verdict.killed_by else "the hidden tests do not end"
                tally.complaints.append(f"Explained as equivalent, but {by}: {mutant}")
    for key, count in unused.items():
        if count > 0:
            tally.complaints.append(f"{EQUIVALENT_FILE.name} explains a mutant that there is not: {', '.join(key)}")
    return tally


def run(jobs: int = 2) -> Tally:
    """Try every mutant of the solution."""
    start = time.monotonic()
    mutants = [m for file in FILES for m in make_mutants(file, (SOLUTION / file).read_text(encoding="utf-8"))]
    tally = judge(try_mutants(mutants, jobs), load_explanations())
    tally.seconds = time.monotonic() - start
    return tally


def summary(tally: Tally) -> str:
    """One line of numbers."""
    return (
        f"{len(tally.verdicts)} mutants: {tally.killed} killed, {tally.timed_out} timed out, "
        f"{tally.equivalent} equivalent, {tally.survived} survived ({tally.seconds:.0f} s)"
    )


def as_json(tally: Tally) -> str:
    """All verdicts, for a file."""
    numbers = {name: getattr(tally, name) for name in ("killed", "timed_out", "equivalent", "survived", "seconds")}
    verdicts = []
    for verdict in tally.verdicts:
        entry = asdict(verdict.mutant) | {"status": verdict.status, "killed_by": verdict.killed_by}
        del entry["text"]
        verdicts.append(entry)
    return json.dumps({**numbers, "complaints": tally.complaints, "mutants": verdicts}, indent=1)


def main(arguments: list[str]) -> int:
    """Carry out `python -m grader mutants`; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m grader mutants", description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="mutants tried at a time (default: 2)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every mutant and what became of it")
    options = parser.parse_args(arguments)
    tally = run(options.jobs)
    if options.json:
        options.json.write_text(as_json(tally), encoding="utf-8")
    print(*tally.complaints, summary(tally), sep="\n")
    return 1 if tally.complaints else 0
