"""Submissions that once got another grade than they deserve, or stopped the grader."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from batching_lab import Request, SchedulerConfig
from grader.cli import main
from grader.grading.grade import grade
from grader.grading.options import GradingOptions
from grader.grading.result import Result
from grader.grading.rubric import load_rubric
from grader.proving.helpers import hidden_tests_only, make_submission
from grader.worker import client
from grader.worker.client import DEFAULT_LIMITS, Limits
from grader.worker.faults import SubmissionFault, WorkerDied
from grader.worker.proxies import WorkerHarness

RETURN = "return Schedule(self.scheduled, tuple(preempted))"


OF_PART_1 = ("static_slot_stays_empty", "continuous_slot_is_refilled", "update_order", "many_requests")
OF_PART_2 = ("new_pool", "growth_by_the_difference", "free_gives_all_blocks_back")


def kept(result: Result) -> set[str]:
    return {test.id for part in result.parts for test in part.tests if test.score == test.max_score > 0}


def points(result: Result) -> dict[str, float]:
    return {part.part: part.score for part in result.parts}


def messages(result: Result) -> str:
    return "\n".join(messages_of(result).values())


def messages_of(result: Result) -> dict[str, str]:
    return {test.id: test.message for part in result.parts for test in part.tests}


def test_the_graders_allocator_can_not_be_handed_in(tmp_path: Path) -> None:
    stolen = "import sys\nclass BlockAllocator(sys.modules['block_pool'].BlockPool): pass\n"
    result = grade(make_submission(tmp_path / "copy", files={"kv_allocator.py": stolen}), ["2"])
    assert points(result) == {"2": 0}


def test_an_import_for_types_only_is_no_import(tmp_path: Path) -> None:
    old = "from collections.abc import Mapping\n"
    new = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from kv_allocator import BlockAllocator\n"
    changes = [("scheduler.py", old, old + new)]
    folder = make_submission(tmp_path / "copy", changes, files={"kv_allocator.py": "def f(:"})
    others = {"static_d_finish", *OF_PART_1, "blocks_taken_as_needed", "chunk_mixed", "preempt_recompute"}
    with hidden_tests_only(*others, *OF_PART_2, "both_files_together"):
        assert kept(grade(folder)) == others


def test_a_broken_file_that_nobody_imports_costs_nothing(tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "copy", files={"scratch.py": "def f(:", "plots.py": "import matplotlib"})
    with hidden_tests_only(*OF_PART_1, *OF_PART_2):
        assert kept(grade(folder)) == {*OF_PART_1, *OF_PART_2}


def test_a_file_with_the_name_of_a_module_is_left_out_with_a_note(tmp_path: Path) -> None:
    with hidden_tests_only(*OF_PART_1):
        result = grade(make_submission(tmp_path / "copy", files={"trace.py": "x = 1", "json.py": "x = 1"}))
    assert kept(result) == set(OF_PART_1)
    assert result.notes == [
        f"{name}.py was not taken: it has the name of a module that others import." for name in ("json", "trace")
    ]


def test_many_files_do_not_push_out_the_three(tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "copy", files={f"a{n:03}.py": "" for n in range(70)})
    with hidden_tests_only(*OF_PART_1, *OF_PART_2):
        result = grade(folder)
    assert kept(result) == {*OF_PART_1, *OF_PART_2} and len(result.notes) == 9


def test_names_that_are_no_text_are_left_out(tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "copy")
    (Path(os.fsdecode(os.fsencode(folder) + b"/\xff.py"))).write_text("", encoding="utf-8")
    with hidden_tests_only(*OF_PART_2):
        result = grade(folder)
    assert kept(result) == set(OF_PART_2) and "its name is no Python name in plain letters" in result.notes[0]


def test_answers_with_a_byte_order_mark(tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "copy")
    text = (folder / "answers.toml").read_text(encoding="utf-8")
    (folder / "answers.toml").write_text(text, encoding="utf-8-sig")
    assert points(grade(folder, ["0"])) == {"0": 5}


def test_answers_that_are_hard_to_parse_cost_part_0_and_no_more(tmp_path: Path) -> None:
    limits = Limits(load_seconds=0.5, part_seconds=1.0)
    for name, text in (("digits", f"static_d_finish = {'9' * 5000}"), ("dots", ".".join(["a"] * 100_000) + " = 1")):
        with hidden_tests_only("static_d_finish", "recomputed_tokens", *OF_PART_2):
            result = grade(
                make_submission(tmp_path / name, files={"answers.toml": text}), options=GradingOptions(limits=limits)
            )
        assert result.status == "graded" and kept(result) == set(OF_PART_2), name


def test_an_allocator_that_inherits_from_the_protocol(tmp_path: Path) -> None:
    changes = [
        ("kv_allocator.py", "import OutOfBlocks", "import KVAllocator, OutOfBlocks"),
        ("kv_allocator.py", "class BlockAllocator:", "class BlockAllocator(KVAllocator):"),
    ]
    assert points(grade(make_submission(tmp_path / "copy", changes), ["2"])) == {"2": 15}


def test_a_free_count_that_is_a_plain_attribute(tmp_path: Path) -> None:
    changes = [
        ("kv_allocator.py", "    @property\n    def num_free_blocks(self) -> int:", "    def count(self) -> int:"),
        ("kv_allocator.py", "        self.block_tables: dict", "        self.num_free_blocks = num_blocks\n        self.block_tables: dict"),
        ("kv_allocator.py", "        return new_blocks", "        self.num_free_blocks -= num_new_blocks\n        return new_blocks"),
        ("kv_allocator.py", "        self.free_blocks.extend(self.block_tables.pop(request_id))", "        self.free_blocks.extend(self.block_tables.pop(request_id))\n        self.num_free_blocks = len(self.free_blocks)"),
    ]  # fmt: skip
    assert points(grade(make_submission(tmp_path / "copy", changes), ["2"])) == {"2": 15}


@pytest.mark.parametrize(
    "leak",
    [
        "from batching_lab.errors import SubmissionError; raise SubmissionError(repr(request))",
        "import sys; raise sys.modules['__main__'].BadReturn(1, repr(request))",
        "raise type('P%d' % len(request.prompt_token_ids), (Exception,), {})",
    ],
)
def test_error_texts_carry_no_hidden_input(
    start_worker: Callable[..., WorkerHarness], leak: str, tmp_path: Path
) -> None:
    text = f"class ContinuousScheduler:\n    def __init__(self, *_): pass\n    def add_request(self, request):\n        {leak}\n"
    text += "".join(f"    def {name}(self, *_): pass\n" for name in ("abort", "schedule", "update", "has_unfinished"))
    lab = start_worker({"scheduler.py": text})
    with pytest.raises(SubmissionFault) as caught:
        lab.scheduler("continuous", SchedulerConfig(2)).add_request(Request("SECRET", (1,) * 37, 41))
    assert not {"SECRET", "37", "41"} & set(str(caught.value).replace("(", " ").replace("P", " ").split())


def test_a_killed_template_is_replaced(tmp_path: Path) -> None:
    kill = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\n"
    folder = make_submission(tmp_path / "copy")
    text = (folder / "kv_allocator.py").read_text(encoding="utf-8")
    (folder / "kv_allocator.py").write_text(kill + text, encoding="utf-8")
    with hidden_tests_only(*OF_PART_1, *OF_PART_2):
        result = grade(folder)
    assert result.status == "graded" and kept(result) >= set(OF_PART_1)


def test_slow_calls_are_bounded_for_the_part(tmp_path: Path) -> None:
    slow = f"import time\n        end = time.process_time() + 0.1\n        while time.process_time() < end: pass\n        {RETURN}"
    limits = Limits(call_seconds=0.5, part_seconds=0.5)
    with hidden_tests_only(*OF_PART_1, *OF_PART_2):
        result = grade(
            make_submission(tmp_path / "copy", [("scheduler.py", RETURN, slow)]), options=GradingOptions(limits=limits)
        )
    assert kept(result) >= set(OF_PART_2)
    assert "The 0.5 seconds that this part's tests have in all are used up." in messages(result)
    assert "timeout" in {test.status for test in result.parts[0].tests}


def test_ids_that_are_no_text_do_not_break_the_report(tmp_path: Path) -> None:
    odd = f"self.scheduled = {{'\\ud800\\x1b[31m\\n': 1}}\n        {RETURN}"
    folder = make_submission(tmp_path / "copy", [("scheduler.py", RETURN, odd)])
    options = ["--feedback", "full", "--json", str(tmp_path / "r.json"), "--html", str(tmp_path / "r.html")]
    with hidden_tests_only(*OF_PART_1):
        assert main(["grade", str(folder), *options]) == 0
    text = (tmp_path / "r.json").read_text(encoding="utf-8")
    assert json.loads(text)["status"] == "graded" and "\\u001b" not in text


def test_what_is_printed_is_kept(start_worker: Callable[..., WorkerHarness]) -> None:
    lab = start_worker({})
    text = "print('hello')\n" + (lab.worker.sandbox.submission / "scheduler.py").read_text(encoding="utf-8")
    lab = start_worker({"scheduler.py": text})
    lab.scheduler("continuous", SchedulerConfig(1))
    assert lab.worker.channel.log() == b"hello\n"


def test_a_random_choice_at_import_is_the_same_every_time(start_worker: Callable[..., WorkerHarness]) -> None:
    lab = start_worker({})
    text = (lab.worker.sandbox.submission / "scheduler.py").read_text(encoding="utf-8")
    chosen = f"import random\nprint(random.random())\n{text}"
    logs = []
    for _ in range(2):
        lab = start_worker({"scheduler.py": chosen})
        lab.scheduler("continuous", SchedulerConfig(1))
        logs.append(lab.worker.channel.log())
    assert logs[0] == logs[1] != b""


def test_a_part_without_time_left_costs_no_other_part(tmp_path: Path) -> None:
    slow = "        if not self.running:\n            self.form_batch()\n"
    burn = (
        "        import time\n        end = time.process_time() + 0.1\n        while time.process_time() < end: pass\n"
    )
    limits = Limits(call_seconds=0.5, part_seconds=0.5)
    of_part_4 = {"chunk_cut_to_budget", "chunk_mixed", "random_chunks"}
    static = ("static_partial_batch", "static_arrivals_wait", "static_prompts", "random_static_slots")
    with hidden_tests_only(*OF_PART_1, *static, *of_part_4):
        result = grade(
            make_submission(tmp_path / "copy", [("scheduler.py", slow, burn + slow)]),
            options=GradingOptions(limits=limits),
        )
    assert "that this part's tests have in all are used up" in messages_of(result)["random_static_slots"]
    assert kept(result) >= of_part_4, messages(result)


def test_a_worker_that_does_not_start_is_the_graders_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def no_channel(*_: object) -> None:
        raise WorkerDied()

    monkeypatch.setattr("grader.worker.channel.PollChannel.write", no_channel)
    with hidden_tests_only(*OF_PART_2):
        result = grade(make_submission(tmp_path / "copy"))
    assert (result.status, result.score) == ("grader_error", None)


def test_an_exception_that_is_two_kinds_at_once(tmp_path: Path) -> None:
    changes = [
        (
            "kv_allocator.py",
            "class BlockAllocator:",
            "class BlockError(ValueError, KeyError): pass\n\n\nclass BlockAllocator:",
        )
    ]
    folder = make_submission(tmp_path / "copy", changes)
    text = (folder / "kv_allocator.py").read_text(encoding="utf-8")
    text += """
class Strict(BlockAllocator):
    def free(self, request_id):
        if not self.block_table(request_id):
            raise BlockError(request_id)
        super().free(request_id)

BlockAllocator = Strict
"""
    (folder / "kv_allocator.py").write_text(text, encoding="utf-8")
    assert points(grade(folder, ["2"])) == {"2": 15}


def test_a_block_that_only_a_script_runs_may_import_anything(tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "copy")
    with (folder / "scheduler.py").open("a", encoding="utf-8") as file:
        file.write('\nif __name__ == "__main__":\n    import matplotlib\n')
    with hidden_tests_only(*OF_PART_1):
        assert kept(grade(folder)) == set(OF_PART_1)


def test_a_submission_that_hangs_in_every_call_is_bounded(tmp_path: Path) -> None:
    """Whether it computes or sleeps: what its workers use in all is at most what the rubric gives the part."""
    limits = Limits(call_seconds=0.2, part_seconds=0.5)
    for body in (
        "while True: pass",
        "import time; time.sleep(1000)",
        "import time\n        while True: time.sleep(0.001)",
    ):
        changes = [("scheduler.py", RETURN, body)]
        start = time.monotonic()
        result = grade(
            make_submission(tmp_path / body[:12].replace(" ", "_") / "copy", changes),
            ["1"],
            options=GradingOptions(limits=limits),
        )
        assert "The 0.5 seconds that this part's tests have in all are used up." in messages(result), body
        assert time.monotonic() - start < 60  # one call's backstop on the wall clock alone: 5 s a test


def test_a_hang_costs_only_the_tests_that_it_happens_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an exception at the same place does: the part's time is not used up before its last test.

    With a third of all times.
    """
    monkeypatch.setattr(client, "SECONDS_AFTER_A_HANG", client.SECONDS_AFTER_A_HANG / 3)
    limits = Limits(call_seconds=DEFAULT_LIMITS.call_seconds / 3, part_seconds=load_rubric()["1"].seconds / 3)
    passed = []
    for name, body in (("hangs", "while len(self.scheduled) > 1: pass"), ("raises", "1 / (len(self.scheduled) < 2)")):
        changes = [("scheduler.py", RETURN, f"{body}\n        {RETURN}")]
        result = grade(make_submission(tmp_path / name, changes), ["1"], options=GradingOptions(limits=limits))
        assert "are used up" not in messages(result)
        passed.append([test.id for test in result.parts[0].tests if test.status == "passed"])
    assert passed[0] == passed[1] and 0 < points(result)["1"] < 15
