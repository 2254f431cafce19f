"""The commands that need a model, what they say without PyTorch, and the prices of a run."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from batching_lab import Job, Request, SchedulerConfig, SimulatedExecutor
from batching_lab.commands.cli import main
from batching_lab.commands.costs import figures
from batching_lab.commands.live_view import LiveView, Texts, cut, cut_front, display_width, printable
from batching_lab.harness import Harness, Workload
from batching_lab.submission.loading import Submission
from batching_lab.timing.cost_model import CostModel, load_cost_model
from batching_lab.timing.stopwatch import Stopwatch
from batching_lab.trace import UnitCost
from grader.paths import ROOT, SOLUTION
from grader.proving.helpers import make_submission

ENVIRONMENT = {"PYTHONPATH": str(ROOT / "starter")}
NEEDS_MODEL = ("generate", "bench", "calibrate")


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch", reason="the model needs PyTorch")


def python(code: str, environment: dict[str, str] = ENVIRONMENT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=100)


def run(capsys: pytest.CaptureFixture[str], *words: str, submission: Path = SOLUTION) -> tuple[int, str, str]:
    status = main([*words, "--submission", str(submission)])
    return status, *capsys.readouterr()


def generated(tmp_path: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """What `generate` wrote as JSON."""
    path = tmp_path / "out.json"
    status, _, error = run(capsys, "generate", *words, "--json", str(path))
    assert (status, error) == (0, "")
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data


def texts_of(data: dict[str, Any]) -> dict[str, str]:
    return {request["request_id"]: request["text"] for request in data["requests"]}


# -- without PyTorch, or with something else of that name


def test_without_pytorch_everything_else_works() -> None:
    """One process in which `import torch` fails: the model's commands say so, the others don't notice."""
    done = python(
        "import sys; sys.modules['torch'] = None\n"
        "from batching_lab.commands.cli import main\n"
        "jobs = ['--jobs', 'A=4,B=1,C=1', '--submission', 'solution']\n"
        "others = [['run', *jobs], ['compare', *jobs], ['timeline', *jobs], ['sweep', *jobs, '--vary', 'A=4,8']]\n"
        "others.append(['check-answers', '--submission', 'solution'])\n"
        "assert [main(words) for words in others] == [0] * 5\n"
        "generate, bench = ([name, '--submission', 'solution'] for name in ('generate', 'bench'))\n"
        "assert [main(words) for words in (generate, bench, ['calibrate'])] == [2] * 3\n"
    )
    assert done.returncode == 0
    sentence = 'batching_lab: the model needs PyTorch: pip install "batching-lab[model]"\n'
    assert done.stderr == sentence * 3


def test_nothing_imports_pytorch_before_a_model_is_loaded() -> None:
    done = python(
        "import sys, batching_lab, batching_lab.commands.cli, batching_lab.commands.generate\n"
        "print([name for name in ('torch', 'numpy') if name in sys.modules])"
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("__version__ = '1.13.1'", "the model needs PyTorch 2.6 or newer, not 1.13.1: "),
        ("__version__ = '2.5.0+cpu'", "the model needs PyTorch 2.6 or newer, not 2.5.0+cpu: "),
        ("", "what is installed as torch is not PyTorch; "),
        ("raise OSError('libc10.so: no such file')", "PyTorch is installed but can't be imported (libc10.so: "),
    ],
)
def test_a_wrong_pytorch_is_named(tmp_path: Path, source: str, sentence: str) -> None:
    (tmp_path / "torch.py").write_text(source, encoding="utf-8")
    done = python(
        "import sys; from batching_lab.commands.cli import main; "
        "sys.exit(main(['generate', '--submission', 'solution']))",
        {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT / 'starter'}"},
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"batching_lab: {sentence}") and done.stderr.count("\n") == 1
    assert "pip install" in done.stderr


# -- generate


def test_a_line_for_each_request_that_finishes(capsys: pytest.CaptureFixture[str], torch: Any) -> None:
    """One slot: r2 starts when r1 is done, after 4 ticks."""
    status, output, error = run(capsys, "generate", "In May", "Every", "--slots", "1", "--max-tokens", "4")
    assert (status, error) == (0, "")
    heading, _, first, second, _, *table = output.splitlines()
    assert heading == "continuous batching, micro on cpu, float32"
    assert re.fullmatch(r"r1 \(tick 4\): In May \| .{4}", first)
    assert re.fullmatch(r"r2 \(tick 8\): Every \| .{4}", second)
    assert table[0].split() == ["p50", "ms", "p95", "ms", "p99", "ms", "p50", "ticks", "p95", "ticks", "p99", "ticks"]
    rows = {row[:19].strip(): row.split()[-3:] for row in table[1:4]}
    assert rows == {"TTFT": ["1", "5", "5"], "inter-token latency": ["1", "1", "1"], "latency": ["4", "8", "8"]}
    assert table[-1].startswith("2 of 2 requests finished, 8 output tokens in 8 ticks and ")


WAYS = [
    ["--policy", "static", "--slots", "2"],
    ["--slots", "2", "--block-size", "1"],
    ["--slots", "3", "--chunked-prefill", "--token-budget", "9", "--chunk-size", "5", "--block-size", "4"],
    ["--slots", "3", "--blocks", "8", "--block-size", "8", "--kv-policy", "max_utilization"],
]


@pytest.mark.parametrize("way", WAYS)
def test_no_way_of_serving_changes_a_text(
    way: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any
) -> None:
    """--check judges every tick, too."""
    prompts = ["The library in Ghent", "On platform two", "In May Anna"]
    plain = generated(tmp_path, capsys, *prompts, "--max-tokens", "24")
    other = generated(tmp_path, capsys, *prompts, "--max-tokens", "24", "--check", *way)
    assert texts_of(plain) == texts_of(other)
    assert other["ticks"] > plain["ticks"] == 24


def test_the_json_holds_every_token(tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any) -> None:
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("At noon\n\nZoë says\n", encoding="utf-8")
    data = generated(tmp_path, capsys, "--prompts", str(prompts), "--max-tokens", "6")
    assert [request["prompt"] for request in data["requests"]] == ["At noon", "Zoë says"]
    for request in data["requests"]:
        assert request["status"] == "finished"
        assert request["token_ticks"] == [1, 2, 3, 4, 5, 6]
        assert request["token_ms"] == sorted(request["token_ms"]) and len(request["token_ids"]) == 6
        assert request["text"] == bytes(request["token_ids"]).decode()
    assert data["percentiles"]["TTFT"]["ticks"] == [1, 1, 1]
    assert data["output_tokens"] == 12 and data["interrupted"] is False and data["violation"] is None


def test_a_text_may_end_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any) -> None:
    data = generated(tmp_path, capsys, "Behind the house of Anna there is", "--max-tokens", "500")
    (request,) = data["requests"]
    assert request["token_ids"][-1] == 257 and len(request["token_ids"]) < 500
    assert request["text"].endswith(".") and request["status"] == "finished"


STOPS = [46, 44]  # full stop and comma


@pytest.mark.parametrize("where", ["config.json", "generation_config.json"])
def test_each_of_several_end_tokens_ends_a_text(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any
) -> None:
    """The end token stays in the text; the judges of --check and --keep-going see the model's own tokens."""
    folder = stopping_model(tmp_path, where)
    words = ("--max-tokens", "60", "--slots", "3")
    whole = texts_of(generated(tmp_path, capsys, *words))
    expected = {name: re.match(r"[^.,]*[.,]?", text)[0] for name, text in whole.items()}  # type: ignore[index]
    assert {text[-1] for text in expected.values()} == {".", ","}
    for more in ([], ["--check"], ["--keep-going"], ["--policy", "static"]):
        data = generated(tmp_path, capsys, *words, "--model", str(folder), *more)
        assert texts_of(data) == expected
        assert {request["status"] for request in data["requests"]} == {"finished"}
        assert [request["token_ids"] for request in data["requests"]] == [
            list(expected[f"r{n}"].encode()) for n in range(1, 9)
        ]
        assert not any(row["text_changed"] for row in data.get("beside_the_model_alone", []))


def test_the_right_text_ends_at_any_end_token_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any
) -> None:
    folder = stopping_model(tmp_path, "config.json")
    words = ("--model", str(folder), "--max-tokens", "60", "--block-size", "8")
    clean = texts_of(generated(tmp_path, capsys, *words))
    path = tmp_path / "fault.json"
    run(capsys, "generate", *words, "--fault", "double-allocation", "--json", str(path))
    rows = json.loads(path.read_text(encoding="utf-8"))["beside_the_model_alone"]
    changed = {row["request_id"]: row["right_text"] for row in rows if row["text_changed"]}
    assert changed and changed == {name: clean[name] for name in changed}


def stopping_model(tmp_path: Path, where: str) -> Path:
    """The micro model with more end tokens in one of its files."""
    from batching_lab.model.loading.load import MICRO

    folder = tmp_path / "model"
    shutil.copytree(MICRO, folder)
    path = folder / where
    data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps(data | {"eos_token_id": [257, *STOPS]}), encoding="utf-8")
    return folder


def test_what_is_open_in_a_models_folder_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any
) -> None:
    folder = stopping_model(tmp_path, "config.json")
    (folder / "model.safetensors.index.json").write_text("{}", encoding="utf-8")
    status, _, error = run(capsys, "generate", "In May", "--max-tokens", "3", "--model", str(folder))
    assert status == 0 and error == (
        f"batching_lab: {folder} holds both model.safetensors and model.safetensors.index.json: the weights are read "
        "from the first, as transformers does\n"
    )


# -- faults

FAULTS = {  # fault -> what the first sentence of the shadow KV says, and whether the text shows it
    "double-allocation": (r"r2 reads its position 32 in block \d+, which holds r1's position 32 .*table of r1", True),
    "stale-block": (r"r1 reads its position 0 in block \d+, which was never written there", True),
    "swapped-blocks": (r"r1 reads its position 0 in block \d+, which holds its own position 16 from tick 1", False),
    "lost-slot": (r"r1 reads its position 32, for which its table has no block", False),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_and_its_consequences_shown(
    fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any
) -> None:
    clean = texts_of(generated(tmp_path, capsys, "--max-tokens", "50"))
    path = tmp_path / "fault.json"
    status, output, _ = run(capsys, "generate", "--max-tokens", "50", "--fault", fault, "--json", str(path))
    data = json.loads(path.read_text(encoding="utf-8"))
    sentence, changed = FAULTS[fault]
    first = data["kv_faults"][0]
    assert re.match(sentence, first["what"]) and first["tick"] == 4
    beside = {row["request_id"]: row for row in data["beside_the_model_alone"]}
    hit = first["request_id"]
    assert [name for name in beside if beside[name]["text_changed"]] == ([hit] if changed else [])
    assert [name for name in beside if beside[name]["largest_logit_change"] > 0.01] == (
        [] if fault == "swapped-blocks" else [hit]
    )
    assert {name for name, text in texts_of(data).items() if text != clean[name]} == ({hit} if changed else set())
    if changed:
        assert beside[hit]["right_text"] == clean[hit]
    assert status == 0 and f"tick 4: {first['what']}" in output
    assert (f"\n{hit} alone: {clean[hit]}\n" in output) == changed


def test_a_fault_that_could_not_be_planted_is_no_clean_run(capsys: pytest.CaptureFixture[str], torch: Any) -> None:
    status, _, error = run(capsys, "generate", "A", "--max-tokens", "3", "--fault", "lost-slot")
    assert status == 2 and error.startswith("batching_lab: the fault was never planted: ") and error.count("\n") == 1


def test_an_unfinished_submission_is_named_before_a_fault(capsys: pytest.CaptureFixture[str], torch: Any) -> None:
    status, output, error = run(capsys, "generate", "--fault", "lost-slot", submission=ROOT / "starter")
    assert status == 1 and "is not done yet." in error and "finished" not in output


TWICE = [
    (
        "kv_allocator.py",
        "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n",
        "        if request_id in self.block_tables and len(self.block_tables) > 1:\n"
        "            new_blocks = [self.block_tables['r1'][-1]] * num_new_blocks\n"
        "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n",
    )
]


def test_a_wrong_allocator_is_stopped_or_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any
) -> None:
    """Whoever grows is given a block of r1's."""
    submission = make_submission(tmp_path / "twice", TWICE)
    words = ("generate", "Every Monday", "The night train", "--max-tokens", "30", "--block-size", "8")
    status, output, error = run(capsys, *words, submission=submission)
    assert status == 1 and "block" in error and "Not finished: r1, r2." in output
    status, output, going_on = run(capsys, *words, "--keep-going", submission=submission)
    assert (status, going_on) == (1, error)
    assert "2 of 2 requests finished" in output
    assert "The shadow KV:\n  tick " in output and "changed" in output.partition("Beside the model alone")[2]


# -- Ctrl-C


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to a child")
def test_ctrl_c_prints_what_was_finished(tmp_path: Path, torch: Any) -> None:
    """Eight requests one after the other, two ticks each, one second a tick: it is interrupted after the first."""
    path = tmp_path / "out.json"
    command = [sys.executable, "-m", "batching_lab", "generate", "--submission", str(SOLUTION), "--slots", "1"]
    command += ["--max-tokens", "2", "--tick-rate", "1", "--json", str(path)]
    with subprocess.Popen(
        command,
        env=ENVIRONMENT,
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        while not process.stdout.readline().startswith("r1 (tick 2): "):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        output, error = process.stdout.read(), process.stderr.read()
        assert process.wait(60) == 130
    assert re.search(r"^[1-7] of 8 requests finished", output, re.MULTILINE) and "Not finished: r" in output
    assert re.fullmatch(r"batching_lab: interrupted in tick \d+\n", error)
    assert json.loads(path.read_text(encoding="utf-8"))["interrupted"] is True


# -- the live view


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this system has no pseudo-terminals")
def test_the_live_view_stays_within_its_window(torch: Any) -> None:
    import fcntl
    import struct
    import termios

    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 7, 50, 0, 0))
    command = [sys.executable, "-m", "batching_lab", "generate", "--submission", str(SOLUTION), "--slots", "3"]
    command += ["--max-tokens", "5", "--tick-rate", "20"]
    with subprocess.Popen(
        command, env={**ENVIRONMENT, "TERM": "xterm"}, cwd=ROOT, stdout=follower, stderr=follower
    ) as process:
        os.close(follower)
        seen = b""
        while chunk := read_some(leader):
            seen += chunk
        assert process.wait(60) == 0
    os.close(leader)
    text = seen.decode()
    assert text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1
    live, final = text.split("\x1b[?25h")
    _, live = live.split("\x1b[?25l")
    frames = live.split("\x1b[J")[:-2]
    assert len(frames) >= 2
    for frame in frames:
        lines = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", frame).replace("\r", "").splitlines()
        assert lines[0].startswith("tick ") and len(lines) <= 6
        assert all(len(line) < 50 for line in lines)
    assert [line.partition(" ")[0] for line in final.splitlines()[:8]] == [f"r{number}" for number in range(1, 9)]


def read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # so Linux says that the other end is closed
        return b""


def test_texts_are_cut_by_columns_and_can_command_nothing() -> None:
    assert (cut("abcdef", 3), cut_front("abcdef", 3)) == ("abc", "def")
    assert (cut("日本語", 5), cut_front("日本語", 5), cut("ab", 0), cut_front("ab", 0)) == ("日本", "本語", "", "")
    assert display_width("e\N{COMBINING ACUTE ACCENT}日") == 3
    assert printable("a\x1b[2J\nb\tc\x9b\N{RIGHT-TO-LEFT OVERRIDE}") == "a\\x1b[2J\\nb\\tc\\x9b\\u202e"


class Letters:
    def __init__(self) -> None:
        self.eos_token_id: int | None = None
        self.end_token_ids: tuple[int, ...] = ()

    def encode(self, text: str) -> tuple[int, ...]:
        return tuple(map(ord, text))

    def decode(self, token_ids: Any) -> str:
        return "".join(chr(97 + token_id % 26) for token_id in token_ids)


def test_a_frame_shows_who_runs_and_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two slots, three requests; room for two rows."""
    monkeypatch.setattr(shutil, "get_terminal_size", lambda fallback=None: os.terminal_size((40, 5)))
    jobs = [Job(Request(name, (1, 2), 3)) for name in "ABC"]
    watch = Stopwatch(SimulatedExecutor(jobs), jobs)
    view = LiveView(watch, Texts(["one", "two", "three"], jobs, Letters()), io.StringIO(), 10)
    frames: list[list[str]] = []
    watch.on_tick = lambda state: frames.append([re.sub(r"\x1b\[[0-9;]*m", "", line) for line in view.frame(state)])
    Harness(Submission(SOLUTION)).serve(Workload("continuous", jobs, SchedulerConfig(2), 10, 2), watch)
    assert len(frames) == 6
    assert frames[0][0].startswith("tick 1   running 2   waiting 1   KV blo")
    assert frames[0][1:] == ["A > onea", "B > twoa", "(and 1 more requests)"]
    assert frames[3][1:] == ["C > threea", "A = oneabc", "(and 1 more requests)"]


# -- bad input

BAD = [
    (["generate", "--max-tokens", "0"], "--max-tokens must be at least 1, not 0"),
    (["generate", "--slots", "0"], "--slots must be at least 1, not 0"),
    (["generate", "--tick-rate", "0"], "--tick-rate must be more than 0, not 0"),
    (["generate", "--tick-rate", "nan"], "--tick-rate must be more than 0, not nan"),
    (["generate", "A", "--prompts", "prompts.txt"], "the prompts must come from the command line or from --prompts"),
    (["generate", "--prompts", "missing.txt"], "--prompts: can't read missing.txt: "),
    (["generate", "--prompts", "empty.txt"], "--prompts: empty.txt holds no prompt"),
    (["generate", "--prompts", "latin.txt"], "--prompts: latin.txt is not UTF-8 text, at byte 3"),
    (["generate", "--check", "--fault", "lost-slot"], "--check stops at the first fault"),
    (["generate", "--dtype", "float16", "--fault", "lost-slot"], "--fault and --keep-going compare logits exactly"),
    (["generate", "--kv-policy", "best"], "kv_policy must be one of "),
    (["bench", "--pairs", "0"], "--pairs must be at least 1, not 0"),
    (["bench", "--jobs", "A=1", "--seed", "1"], "--seed goes with --workload only"),
]
BAD_FOR_A_MODEL = [
    (["generate", "--threads", "0"], "--threads must be at least 1, not 0"),
    (["generate", "caf\udce9"], "the prompt has a character that is no text, at 3: "),
    (["generate", "--max-tokens", "2000"], "request r1: 30 prompt tokens and max_tokens 2000 need a context of 2029 "),
    (["generate", "--blocks", "3"], "--blocks 3 is too small: r1 with its 30 prompt tokens and max_tokens 200 may "),
    (["generate", "--model", "huge"], "there is no model 'huge': it must be micro, "),
    (["generate", "--model", "nothing"], "can't read "),
    (["generate", "--model", "truncated"], "truncated/model.safetensors is damaged or no safetensors file: "),
    (["generate", "--model", "unreadable"], "unreadable/config.json is not JSON: "),
    (["generate", "--model", "other"], "other: the architecture 'gpt2' is not supported; "),
    (["generate", "--model", "incomplete"], "incomplete: the tensor model."),
    (["generate", "--device", "tpu"], "the device must be cpu or cuda, not 'tpu'"),
    (["bench", "--workload", "azure-code"], "request r"),
]


@pytest.mark.parametrize(("words", "sentence"), BAD)
def test_bad_input_is_one_sentence_and_needs_no_model(
    words: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prompts.txt").write_text("A\n", encoding="utf-8")
    Path("empty.txt").write_text("\n \n", encoding="utf-8")
    Path("latin.txt").write_bytes(b"caf\xe9")
    monkeypatch.setitem(sys.modules, "batching_lab.model.loading.load", None)  # whoever loads a model fails
    expect_sentence(capsys, words, sentence)


@pytest.mark.parametrize(("words", "sentence"), BAD_FOR_A_MODEL)
def test_bad_models_and_what_they_cannot_serve(
    words: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    torch: Any,
) -> None:
    from batching_lab.model.loading.load import MICRO

    monkeypatch.chdir(tmp_path)
    Path("nothing").mkdir()
    for name in ("truncated", "unreadable", "other", "incomplete"):
        shutil.copytree(MICRO, name)
    weights = Path("truncated/model.safetensors").read_bytes()
    Path("truncated/model.safetensors").write_bytes(weights[: len(weights) // 2])
    Path("unreadable/config.json").write_text("{", encoding="utf-8")
    Path("other/config.json").write_text('{"model_type": "gpt2"}', encoding="utf-8")
    config = json.loads(Path("incomplete/config.json").read_text(encoding="utf-8"))
    Path("incomplete/config.json").write_text(json.dumps(config | {"num_hidden_layers": 5}), encoding="utf-8")
    expect_sentence(capsys, words, sentence)


def expect_sentence(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    status, output, error = run(capsys, *words)
    assert (status, output) == (2, "")
    assert error.startswith(f"batching_lab: {sentence}") and error.count("\n") == 1


# -- bench


def test_bench_counts_and_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any) -> None:
    """The seed's jobs: 5 ticks against 4."""
    path = tmp_path / "out.json"
    words = ("--jobs", "A=4,B=1,C=1", "--slots", "2", "--pairs", "2", "--json", str(path))
    status, output, error = run(capsys, "bench", *words)
    assert (status, error) == (0, "")
    assert re.search(r"^ticks +5 +4 +1\.25$", output, re.MULTILINE)
    assert "in ticks 1.25 times, without noise" in output and "Times hold for this machine" in output
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["tick_ratio"] == 1.25 and len(data["pair_ratios"]) == 2
    for policy, num_ticks in (("static", 5), ("continuous", 4)):
        side = data["runs"][policy]
        assert (side["ticks"], side["output_tokens"], len(side["seconds"])) == (num_ticks, 6, 2)
    static, continuous = (data["runs"][policy]["seconds"] for policy in ("static", "continuous"))
    assert data["pair_ratios"] == [left / right for left, right in zip(static, continuous, strict=True)]


def test_bench_stops_at_a_wrong_submission(tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any) -> None:
    submission = make_submission(tmp_path / "twice", TWICE)
    status, output, error = run(capsys, "bench", "--pairs", "1", submission=submission)
    assert (status, output) == (1, "")
    assert error.startswith("continuous batching: Tick ")


# -- calibrate, and prices


def test_the_fit_finds_the_costs_behind_exact_times(torch: Any) -> None:
    from batching_lab.model.timing.calibration import Point, fit, shapes_for

    shapes = shapes_for(1024)
    exact = [Point(shape, 3 + 0.5 * shape.tokens + 0.01 * shape.context_tokens) for shape in shapes]
    fitted = fit(exact)
    assert (fitted.base, fitted.per_token, fitted.per_context_token) == pytest.approx((3, 0.5, 0.01))
    assert fitted.r_squared == pytest.approx(1) and fitted.left_out == ()


def test_a_negative_cost_is_left_out_and_said(torch: Any) -> None:
    from batching_lab.commands.calibrate import conclusion
    from batching_lab.model.timing.calibration import Point, fit, shapes_for

    shapes = shapes_for(1024)
    fitted = fit([Point(shape, 50 + 0.5 * shape.tokens - 0.005 * shape.context_tokens) for shape in shapes])
    assert fitted.left_out == ("per_context_token",) and fitted.per_context_token == 0
    assert min(fitted.base, fitted.per_token) > 0 and 0 < fitted.r_squared < 1
    assert "Left out, since it would have come out negative or 0: per_context_token." in conclusion(fitted)


def test_shapes_stay_within_the_context(torch: Any) -> None:
    from batching_lab.model.timing.calibration import shapes_for

    assert max(shape.num_computed + shape.num_tokens for shape in shapes_for(64)) == 64


def test_a_measured_cost_model_prices_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], torch: Any) -> None:
    path = tmp_path / "cost.json"
    assert main(["calibrate", "--repeats", "1", "--out", str(path)]) == 0
    output = capsys.readouterr().out
    model = load_cost_model(path)
    assert f"(R^2 {model.r_squared:.3f})" in output and "This holds for this machine" in output
    assert (model.model, model.threads, model.torch) == ("micro", 1, torch.__version__)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert len(data["points"]) == 28 and model.base + model.per_token > 0
    status, output, error = run(capsys, "run", "--jobs", "A=4,B=1,C=1", "--slots", "2", "--cost-model", str(path))
    assert (status, error) == (0, "")
    total = 4 * model.base + 6 * model.per_token + (2 + 3 + 3 + 4) * model.per_context_token
    assert re.search(rf"^total +4 +{re.escape(f'{total:.4g}')}$", output, re.MULTILINE)
    assert str(model) in output


MODEL = CostModel(10.0, 1.0, 0.5, 0.9, 0.1, "micro", "cpu", "float32", 1, "Linux", "2.13.0", "3.11.0", "2026-01-01")


def test_prices_stand_beside_ticks_and_units(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A=2+3, B=4+1@1 in two slots. A: 2, 1, 1 tokens, then B: 4 of them in tick 2. Contexts: 2, 3 + 4, 4."""
    path = tmp_path / "cost.json"
    path.write_text(MODEL.to_json([]), encoding="utf-8")
    words = ("--jobs", "A=2+3,B=4+1@1", "--slots", "2", "--unit-cost", "10,1,0", "--cost-model", str(path))
    status, output, error = run(capsys, "run", *words)
    assert (status, error) == (0, "")
    rows = [line.split() for line in output.splitlines()]
    assert ["ticks", "units", "ms"] in rows
    assert ["total", "3", "38", "44.5"] in rows  # 12 + 15 + 11 units; 13 + 18.5 + 13 ms
    assert ["longest", "tick", "1", "15", "18.5"] in rows
    assert ["TTFT", "p50", "1", "12", "13"] in rows and ["TTFT", "p99", "1", "15", "18.5"] in rows
    assert ["gap", "p50", "1", "11", "13"] in rows and ["gap", "p99", "1", "15", "18.5"] in rows
    assert "The milliseconds are a fit: micro in float32 on cpu (Linux, 1 thread), PyTorch 2.13.0" in output


def test_figures_count_from_the_arrival() -> None:
    """B arrives at tick 2, while A decodes."""
    trace = Harness(Submission(SOLUTION)).run("continuous", "A=1+4,B=3+1@2", max_num_seqs=2)
    found = figures(trace, UnitCost(1, 1))
    assert (found["total"], found["longest tick"], found["TTFT p50"], found["TTFT p99"]) == (11, 5, 2, 5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "can't read "),
        ("{", "cost.json is not JSON"),
        ("[" * 100_000, "cost.json is not JSON"),
        ("[]", "cost.json is no cost model: "),
        ('{"schema": "batching-lab/trace/v1"}', "cost.json is no cost model: "),
        (MODEL.to_json([]).replace("10.0", '"ten"'), "cost.json: base is 'ten', which is no float"),
        (MODEL.to_json([]).replace("10.0", "NaN"), "cost.json: base is nan, which is no float"),
        (MODEL.to_json([]).replace("10.0", "-1"), "cost.json: base is -1.0, but a cost is never below 0"),
    ],
)
def test_a_file_that_is_no_cost_model(
    text: str | None,
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        Path("cost.json").write_text(text, encoding="utf-8")
    expect_sentence(capsys, ["run", "--jobs", "A=1", "--cost-model", "cost.json"], f"--cost-model: {sentence}")


def test_a_pause_does_not_count() -> None:
    jobs = [Job(Request("A", (1,), 2))]
    watch = Stopwatch(SimulatedExecutor(jobs), jobs, lambda state: watch.pause(0.2))
    start = time.perf_counter()
    Harness(Submission(SOLUTION)).serve(Workload("continuous", jobs, SchedulerConfig(1)), watch)
    slept = time.perf_counter() - start
    assert slept - watch.seconds >= 0.4  # two pauses
