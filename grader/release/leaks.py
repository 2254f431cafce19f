"""Searches a folder for what students must not see: anything of solution/ and of grader/.

Texts are compared without white space, quotes and the marks of comments and tables, so that another indentation or
another kind of file (JSON, Markdown, HTML, a zip) hides nothing.
"""

import ast
import functools
import gzip
import html
import io
import re
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from batching_lab.submission.answers import QUESTIONS
from grader.grading.rubric import load_rubric
from grader.paths import HIDDEN_TESTS, SOLUTION, WRONG, Use, files_for
from grader.tools.starter import BEGIN, END

MIN_STATEMENT = 20  # characters of a statement, without spaces, below which anybody may write it
NUM_LINES = 4  # of the grader, one after the other
MIN_LINES = 60  # characters of them together
MIN_NEEDLE = 10  # of anything that is searched for, tables among it
MAX_ZIP_DEPTH = 3

# Statements of the solution that the library, the public tests or the handout rightly hold, as `squeeze` makes them.
COMMON_STATEMENTS = {
    "ifrequest_idinsampled:",
    "self.num_blocks=num_blocks",
    "self.block_size=block_size",
    "num_tokens=sequence.num_uncomputed_tokens",
    "preempted:list[str]=[]",
    "ifself.allocatorisnone:",
    "ifsequence.is_finished:",
    "ifself.allocatorisnotnone:",
    "assertself.allocatorisnotnone",
    "sequence=self.running[request_id]",
    "ifself.config.enable_chunked_prefill:",
    "self.block_tables:dict[str,list[int]]={}",
    "sequence.num_computed_tokens+=num_tokens",
    "sequence.output_token_ids.append(sampled[request_id])",
}
# Hidden tests that have a public test of the same name.
COMMON_NAMES = {
    "eos_token_ids",
    "test_abort_running",
    "test_all_or_nothing",
    "test_block_table_is_a_copy",
    "test_continuous_first_come_first_served",
    "test_idle_ticks",
    "test_static_batch_by_worst_cases",
}
# Tables of ticks that public tests have too, as `bare_letters` makes them.
COMMON_TABLES = {
    "1ab2a3a4a5c",
    "1a:42a3b:44b",
    "1a:4b:42ab",
    "1a:4b:42ab3a",
    "1a:42a:43a",
    "1a:6b:62ab3ab4ab5a6a7b:98b9b",
}
# Lines that tests share: they tell one from another no better than a comma does.
NOISE = re.compile(
    r"[)\]}\"',]*|(import|from) .*|(max_num\w+|prefill_chunk_size|num_blocks|block_size)=\d+,|"
    r"enable_chunked_prefill=True,|kv_policy=\"max_utilization\",|ticks=\"\"\"|\"\"\"\\"
)


@dataclass(frozen=True)
class Leak:
    """One thing found: the file (with what is inside a zip behind `!`), its kind, and the words."""

    path: str
    kind: str
    what: str

    def __str__(self) -> str:
        return f"{self.path}: {self.kind}: {self.what}"


class Needles:
    """Many texts that are searched for at once."""

    def __init__(self, names: dict[str, tuple[str, str]]) -> None:
        """names  needle -> its kind, and what to call it"""
        self.names = names
        self.by_start: dict[str, list[str]] = {}
        for needle in names:
            self.by_start.setdefault(needle[:MIN_NEEDLE], []).append(needle)

    def found_in(self, text: str) -> list[tuple[str, str]]:
        """Kind and words of each needle that the text holds."""
        found = {}
        for at in range(len(text) - MIN_NEEDLE + 1):
            for needle in self.by_start.get(text[at : at + MIN_NEEDLE], ()):
                if text.startswith(needle, at):
                    found[needle] = self.names[needle]
        return list(found.values())


@dataclass(frozen=True)
class Secrets:
    """What is searched for."""

    texts: Needles
    tables: Needles
    names: frozenset[str]
    answers: dict[str, int]


def find_leaks(folder: Path) -> list[Leak]:
    """All leaks in a folder, sorted by path."""
    leaks: list[Leak] = []
    seen: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name.casefold() in seen:
            leaks.append(Leak(name, "name", f"differs from {seen[name.casefold()]} by case only"))
        seen[name.casefold()] = name
        leaks += leaks_of_name(name)
        if path.is_symlink():
            leaks.append(Leak(name, "link", "a link may lead anywhere"))
        elif path.is_file():
            leaks += leaks_of_content(name, path.read_bytes(), 0)
    return list(dict.fromkeys(leaks))


def leaks_of_name(name: str) -> Iterator[Leak]:
    """What a file's name alone gives away."""
    parts = [part.casefold() for part in name.split("/")]
    if parts[-1] in (".git", "__pycache__") or parts[-1].endswith(".pyc"):
        yield Leak(name, "history" if parts[-1] == ".git" else "compiled code", parts[-1])
    if parts[-1] in ("solution", "grader") or (parts[0] in ("solution", "grader") and len(parts) > 1):
        yield Leak(name, "folder", "a folder of the staff's")


def leaks_of_content(name: str, content: bytes, depth: int) -> Iterator[Leak]:
    """What a file holds, also inside of zips; depth: how many it lies in"""
    if depth < MAX_ZIP_DEPTH and content.startswith(b"PK"):
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for entry in archive.infolist():
                    yield from leaks_of_name(f"{name}!/{entry.filename.rstrip('/')}")
                    yield from leaks_of_content(f"{name}!/{entry.filename}", archive.read(entry), depth + 1)
            return
        except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
            pass
    if depth < MAX_ZIP_DEPTH and content.startswith(b"\x1f\x8b"):
        try:
            yield from leaks_of_content(f"{name}!", gzip.decompress(content), depth + 1)
            return
        except (OSError, EOFError):
            pass
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    for kind, what in kinds_of_text(content.decode(encoding, errors="replace")):
        yield Leak(name, kind, what)


@functools.lru_cache(maxsize=512)
def kinds_of_text(text: str) -> list[tuple[str, str]]:
    """What a text gives away: kind and words. A zip may hold the same text again."""
    secrets = load_secrets()
    squeezed = squeeze(text)
    found = [("marker", marker) for marker in (BEGIN, END) if squeeze(marker) in squeezed]
    found += secrets.texts.found_in(squeezed)
    found += secrets.tables.found_in(bare_letters(text))
    words = set(re.findall(r"\w+", text.replace("\\n", " ")))
    found += [("hidden test", word) for word in sorted(words & secrets.names)]
    if re.search(r"\b(from|import)\s+grader\b", text):
        found.append(("grader", "an import of the grader"))
    for question, answer in secrets.answers.items():
        if re.search(rf"\b{question}\b[\s\"'`=:|*\\>-]{{1,12}}{answer}(?![\d\w])", text):
            found.append(("answer", question))
    in_order = r"\D{1,12}".join(str(answer) for answer in secrets.answers.values())
    if re.search(rf"(?<!\d){in_order}(?!\d)", text):
        found.append(("answer", "all of them, in order"))
    return found


def squeeze(text: str) -> str:
    """Text without what depends on where it stands: spaces, quotes, escapes, comment signs, cell borders, case."""
    text = html.unescape(text)
    text = re.sub(r"\\+[nrt]|[\s\\\"'`#>|*]+", "", text)
    return re.sub(r",([)\]}])", r"\1", text).casefold()


def bare_letters(text: str) -> str:
    """For tables of ticks: letters, digits and colons."""
    return re.sub(r"\\+[nrt]|[^a-z0-9:]+", "", text.casefold())


@functools.cache
def load_secrets() -> Secrets:
    """What is searched for, read once."""
    rubric = load_rubric()
    tests = [test for part in rubric.values() for test in part.tests]
    names = {f"test_{test.id}" for test in tests} | {test.id for test in tests if test.id not in QUESTIONS}
    names |= {path.stem for path in WRONG.glob("part*.py")}
    hints = {squeeze(test.hint): ("hint of a hidden test", test.hint) for test in tests}
    return Secrets(
        texts=Needles({**grader_lines(), **solution_statements(), **hints}),
        tables=Needles(hidden_tables()),
        names=frozenset(names - COMMON_NAMES),
        answers=tomllib.loads((SOLUTION / "answers.toml").read_text(encoding="utf-8")),
    )


def solution_statements() -> dict[str, tuple[str, str]]:
    """Each statement that is cut from the starter; of a compound one its head."""
    found = {}
    for path in sorted(SOLUTION.glob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        cut = cut_lines(lines)
        for node in ast.walk(ast.parse("\n".join(lines))):
            if not isinstance(node, ast.stmt) or isinstance(node, ast.Import | ast.ImportFrom):
                continue
            if node.lineno not in cut or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                continue
            source = "\n".join(lines[node.lineno - 1 : last_line(node)])
            if len(squeeze(source)) >= MIN_STATEMENT:
                found[squeeze(source)] = ("solution", " ".join(source.split()))
    return {needle: what for needle, what in found.items() if needle not in COMMON_STATEMENTS}


def cut_lines(lines: list[str]) -> set[int]:
    """Numbers of the lines between the markers."""
    cut, is_inside = set(), False
    for number, line in enumerate(lines, start=1):
        if line.strip() in (BEGIN, END):
            is_inside = line.strip() == BEGIN
        elif is_inside:
            cut.add(number)
    return cut


def last_line(node: ast.stmt) -> int:
    """Of a statement; of a compound one the last line of its head."""
    body = getattr(node, "body", None)
    if body and body[0].lineno > node.lineno:
        return int(body[0].lineno) - 1
    return node.end_lineno or node.lineno


def grader_lines() -> dict[str, tuple[str, str]]:
    """Each few telling lines that follow one another in a file of the grader's, with the noise between them."""
    found = {}
    for name, path in files_for(Use.SECRET).items():
        if not name.startswith("grader/"):
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        telling = [n for n, line in enumerate(lines) if not NOISE.fullmatch(line.strip())]
        for first, last in zip(telling, telling[NUM_LINES - 1 :], strict=False):
            needle = squeeze("\n".join(lines[first : last + 1]))
            if len(needle) >= MIN_LINES:
                found[needle] = ("grader", f"{name}: {lines[first].strip()[:60]}")
    return found


def hidden_tables() -> dict[str, tuple[str, str]]:
    """Each table of ticks in the hidden tests."""
    found = {}
    for path in sorted(HIDDEN_TESTS.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.match(r"\s*1  ", node.value):
                needle = bare_letters(node.value)
                if len(needle) >= MIN_NEEDLE:
                    rows = (" ".join(line.split()) for line in node.value.splitlines() if line.strip())
                    found[needle] = ("expected ticks of a hidden test", " / ".join(rows))
    return {needle: what for needle, what in found.items() if needle not in COMMON_TABLES}
