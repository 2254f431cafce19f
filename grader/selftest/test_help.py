"""Every command explains itself, and the examples in its help work."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from batching_lab.commands.cli import main
from grader.paths import ROOT, SOLUTION

COMMANDS = ("run", "compare", "timeline", "sweep", "fuzz", "check-answers", "pack", "generate", "bench", "calibrate")
WITH_MODEL = ("generate", "bench", "calibrate")
WITHOUT_SUBMISSION = ("calibrate",)


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_examples_in_the_help_run(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if command in WITH_MODEL:
        pytest.importorskip("torch", reason="the model needs PyTorch")
    text = help_of(command, capsys).replace("\\\n", "")
    examples = re.findall(r"^(?:example: |  )python -m batching_lab (.*)$", text, re.MULTILINE)
    assert examples, "the help has no example"
    assert text.isascii() and "exit status: " in text
    monkeypatch.chdir(tmp_path)
    rows = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"
    Path("AzureLLMInferenceTrace_conv.csv").write_text(rows, encoding="utf-8")
    for example in examples:
        words = shlex.split(example)
        assert words[0] == command
        submission = [] if command in WITHOUT_SUBMISSION else ["--submission", str(SOLUTION)]
        assert main([*words, *submission]) == 0, example
        printed = capsys.readouterr()
        assert printed.out and not printed.err


def test_the_main_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    assert [command for command in COMMANDS if any(line.strip().split()[:1] == [command] for line in lines)] == [
        *COMMANDS
    ]


def test_only_fuzz_needs_hypothesis_and_says_so(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "sys.modules['hypothesis'] = None\n"
        "from batching_lab.commands.cli import main\n"
        "assert main(['check-answers', '--submission', 'solution']) == 0\n"
        "sys.exit(main(['fuzz', '--submission', 'solution']))\n"
    )
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": str(ROOT / "starter")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr == (
        "batching_lab: fuzz needs the package hypothesis; install it with: python -m pip install hypothesis\n"
    )


def test_starting_up_loads_nothing_heavy() -> None:
    code = (
        "import sys, contextlib\n"
        "from batching_lab.commands.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['fuzz', '--help'])\n"
        "print(*(name for name in ('hypothesis', 'tqdm', 'pytest', 'torch') if name in sys.modules), sep=',')\n"
    )
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": str(ROOT / "starter")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == ""
