"""Every command, output and timeline in the texts is run and compared.

A block ```console holds `$ command` lines, each followed by what it prints; `...` stands for anything. It
runs in a copy of what students get, with the solution in it or, as ```console starter, untouched. A block
```python runs there too, and prints what the block ```output behind it says.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from batching_lab.commands.cli import main as batching_lab
from batching_lab.timing.cost_model import CostModel
from grader.cli import VERBS
from grader.paths import GRADER, LIBRARY, ROOT, SOLUTION, Use
from grader.proving.helpers import FILES, HAS_MODEL

TEXTS = ("handout.md", "README.md")
MODEL_COMMANDS = {"generate", "bench", "calibrate"}
KEPT_OF_A_GPU = "grader/proving/GPU_RESULTS.md"  # not there until `make gpu-check` has run on one
BLOCK = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    """A command, or a Python program, and what it prints."""

    where: str
    folder: str
    command: list[str]
    output: str


def as_python(command: str) -> list[str]:
    """`python ...` or `pytest ...` with this interpreter."""
    first, *words = shlex.split(command)
    return [sys.executable, *words] if first == "python" else [sys.executable, "-m", first, *words]


def run_in(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder / "starter"), "COLUMNS": "80"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=100
    )


@pytest.fixture
def run_example(
    copies: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str, list[str]], tuple[int, str]]:
    """Run a command in a copy; its exit status, and what it prints: standard error last.

    A command of the model's is run in this process, which has imported PyTorch: that takes two seconds each time.
    """

    def run(folder: str, command: list[str]) -> tuple[int, str]:
        if MODEL_COMMANDS & set(command):
            if not HAS_MODEL:
                pytest.skip("the command needs PyTorch")
            monkeypatch.chdir(copies / folder)
            monkeypatch.setenv("COLUMNS", "80")
            status = batching_lab(command[command.index("batching_lab") + 1 :])
            return status, "".join(capsys.readouterr())
        done = run_in(copies / folder, command)
        return done.returncode, done.stdout + done.stderr

    return run


def examples_in(name: str) -> list[Example]:
    text = (ROOT / name).read_text(encoding="utf-8")
    examples: list[Example] = []
    program = ""
    for block in BLOCK.finditer(text):
        where = f"{name}:{text.count(chr(10), 0, block.start()) + 1}"
        kind, body = block["kind"], block["body"]
        if kind.startswith("console"):
            folder = "starter" if kind == "console starter" else "solved"
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                examples.append(Example(where, folder, as_python(command), output))
        elif kind == "python":
            program = body
        elif kind.startswith("text prefill_first "):
            examples.append(Example(where, "solved", prefill_first(kind.split()[-1]), f"...{body}..."))
        elif kind == "output":
            examples.append(Example(where, "solved", [sys.executable, "-c", program], body))
    return examples


def prefill_first(jobs: str) -> list[str]:
    """The command that runs jobs on the engine that never mixes prefill and decode, which students don't get."""
    engine = str(ROOT / "grader" / "tools" / "prefill_first")
    return [
        sys.executable,
        "-m",
        "batching_lab",
        "run",
        "--submission",
        engine,
        "--jobs",
        jobs,
        "--slots",
        "2",
        "--ascii",
    ]


EXAMPLES = [example for name in TEXTS if (ROOT / name).exists() for example in examples_in(name)]


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two student repositories: `starter`, untouched, and `solved`."""
    root = tmp_path_factory.mktemp("students")
    for name in ("starter", "solved"):
        shutil.copytree(ROOT / "starter", root / name / "starter", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "tests", root / name / "tests", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", root / name)
    for file in FILES:
        shutil.copy(SOLUTION / file, root / "solved" / "starter")
    machine = dict.fromkeys(("model", "device", "dtype", "machine", "torch", "python", "date"), "x")
    cost_model = CostModel(
        base=4.0, per_token=0.1, per_context_token=0.001, r_squared=0.9, largest_error=0.3, threads=1, **machine
    )
    (root / "solved" / "cost.json").write_text(cost_model.to_json([]), encoding="utf-8")  # calibrate makes a real one
    return root


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"{e.where} {shlex.join(e.command[1:])[:60]}")
def test_example(run_example: Callable[[str, list[str]], tuple[int, str]], example: Example) -> None:
    _, text = run_example(example.folder, example.command)
    printed = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    pattern = re.escape(example.output.strip("\n")).replace(re.escape("..."), ".*")
    assert re.fullmatch(pattern, printed, re.DOTALL), f"{example.where} prints:\n{printed}"


def test_there_are_examples_in_the_handout() -> None:
    assert len(examples_in("handout.md")) >= 8


@pytest.mark.parametrize("name", [*TEXTS, "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "grader/README.md"])
def test_links_within_the_texts(name: str) -> None:
    """Each `#anchor` is a heading, and each file that a text names in backticks is there."""
    text = (ROOT / name).read_text(encoding="utf-8")
    headings = {
        re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= headings
    for path in re.findall(r"`((?:starter|tests|grader|solution)/[\w/.]+)`", text):
        assert (ROOT / path).exists() or path == KEPT_OF_A_GPU, path


def test_contributing_names_every_room_and_verb() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (layout,) = re.findall(r"^## Layout$.*?^```$(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    folders = [path for top in (GRADER, LIBRARY) for path in top.iterdir() if (path / "__init__.py").exists()]
    rooms = [f"{path.name}/" for path in [*folders, *GRADER.glob("proving/*/")] if path.name != "__pycache__"]
    assert [room for room in rooms if room not in layout] == []
    assert [verb for verb in VERBS if f"`{verb}`" not in text] == []
    assert [use.name for use in Use if f"| `{use.name}` |" not in text] == []


def commands_in_sentences() -> list[str]:
    """The commands in backticks and in blocks without output, less those with a placeholder in capitals or dots."""
    text = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in TEXTS)
    spans = re.findall(r"`((?:python -m batching_lab|pytest)\b[^`\n]*)`", text)
    spans += re.findall(r"^((?:python -m batching_lab|pytest)\b[^#\n]*)", text, re.MULTILINE)
    return sorted({span.strip() for span in spans if not re.search(r"\.\.\.|\b(DIR|FILE)\b", span)})


@pytest.mark.parametrize("command", commands_in_sentences())
def test_commands_in_sentences_run(run_example: Callable[[str, list[str]], tuple[int, str]], command: str) -> None:
    status, printed = run_example("solved", as_python(command))
    assert status == 0, printed
