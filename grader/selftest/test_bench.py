"""`make bench` measures what its table says."""

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from batching_lab.harness import Harness
from batching_lab.interfaces import Scheduler
from batching_lab.schedule import Schedule
from batching_lab.submission.loading import Submission
from grader.paths import SOLUTION
from grader.proving.benchmarks import bench

ENGINE = """
from types import SimpleNamespace
from nanovllm.config import Config

ticks = []

class Sequence:
    def __init__(self, token_ids, sampling_params):
        assert self.block_size == 16 and sampling_params.max_tokens == 20
        self.token_ids = token_ids

class Scheduler:
    def __init__(self, config: Config):
        self.running = []
        self.max_num_seqs = config.max_num_seqs

    def add(self, sequence):
        self.running.append(sequence)

    def schedule(self):
        return self.running[: self.max_num_seqs], not ticks

    def postprocess(self, sequences, token_ids, is_prefill):
        ticks.append((len(sequences), len(token_ids), is_prefill))
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Generator[Path]:
    """Of a nano-vllm whose package can't be imported here, as the real one can't without a GPU's libraries."""
    engine = tmp_path / "nanovllm" / "engine"
    engine.mkdir(parents=True)
    (tmp_path / "nanovllm" / "__init__.py").write_text("raise ImportError('no GPU')\n", encoding="utf-8")
    (engine / "scheduler.py").write_text(ENGINE, encoding="utf-8")
    yield tmp_path
    for name in [name for name in sys.modules if name.partition(".")[0] == "nanovllm"]:
        del sys.modules[name]


def test_the_solution_is_timed_beside_each_of_the_others(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "NUM_TICKS", 10)
    rows = bench.scheduler_rows(checkout)
    assert [(what, others.partition(" us ")[2]) for what, _, others, _ in rows] == [
        ("schedule + update, 1 decodes", "word for word"),
        ("schedule + update, 64 decodes", "word for word"),
        ("schedule + update, 256 decodes", "word for word"),
        ("schedule + update, 1024 decodes", "word for word"),
        ("the same, 256 decodes, 100,000 waiting", "with none waiting"),
        ("the same, 256 decodes", "nano-vllm"),
    ]
    ticks = sys.modules["nanovllm.engine.scheduler"].ticks
    assert ticks == [(256, 256, True)] + 9 * [(256, 256, False)]


def test_every_tick_but_the_first_decodes_everybody_who_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody finishes or is preempted, and none of those that wait is admitted."""
    schedules = []

    class Watched(Harness):
        def scheduler(self, *arguments: Any) -> Scheduler:
            scheduler = super().scheduler(*arguments)
            decide = scheduler.schedule

            def schedule() -> Schedule:
                schedules.append(decide())
                return schedules[-1]

            monkeypatch.setattr(scheduler, "schedule", schedule)
            return scheduler

    monkeypatch.setattr(bench, "Harness", Watched)
    monkeypatch.setattr(bench, "NUM_TICKS", 20)
    bench.microseconds(bench.decoding(Submission(SOLUTION), 18, num_waiting=3))
    prompts = [*range(1, 17), 1, 2]
    assert schedules[0] == Schedule({f"r{number}": prompt for number, prompt in enumerate(prompts)})
    assert schedules[1:] == 19 * [Schedule({f"r{number}": 1 for number in range(18)})]


def test_a_folder_without_their_scheduler_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        bench.main(["--nano-vllm", str(tmp_path)])
    assert stopped.value.code == 2
    assert f"{tmp_path} holds no nanovllm/engine/scheduler.py" in capsys.readouterr().err
