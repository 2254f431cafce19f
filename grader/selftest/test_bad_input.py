"""Whatever a submission does wrong costs the tests that it touches, with one sentence, and the rest is graded."""

from pathlib import Path

import pytest

from grader.grading.grade import grade
from grader.grading.options import GradingOptions
from grader.grading.result import Result
from grader.proving.helpers import SHORT, hidden_tests_only, make_submission

RETURN = "return Schedule(self.scheduled, tuple(preempted))"
UPDATE = "        return finished\n"
FREE = "return len(self.free_blocks)"

SCHEDULER_FAULTS = {
    "a class renamed": ("class ContinuousScheduler", "class Continuous", "has no class ContinuousScheduler"),
    "a method missing": ("def has_unfinished", "def has_more", "has no has_unfinished"),
    "a wrong signature": ("def schedule(self) -> Schedule:\n        \"\"\"Decide one tick: first", "def schedule(self, now) -> Schedule:\n        \"\"\"Decide one tick: first", "raised TypeError"),
    "None returned": (RETURN, "return None", "schedule returned None; it should return a Schedule"),
    "a list returned": (RETURN, "return list(self.scheduled)", "schedule returned list; it should return"),
    "floats returned": (RETURN, "return Schedule({k: float(m) for k, m in self.scheduled.items()})", "a value of Schedule.num_scheduled_tokens is float; it should be an int"),
    "a tuple from update": (UPDATE, "        return tuple(finished)\n", "update returned tuple; it should return a list of str"),
    "None from update": (UPDATE, "        pass\n", "update returned None; it should return a list of str"),
    "an unknown id": (RETURN, "return Schedule({**self.scheduled, 'ghost': 1})", "something that is no live request: Only requests that are"),
    "a finished request": (RETURN, "self.all = dict(getattr(self, 'all', {}), **self.scheduled)\n        return Schedule(dict(self.all))", "Only requests that are waiting or running can be scheduled."),
    "never finished": ("if sequence.is_finished:", "if False:", "update() returns exactly the sequences that sampled their last token"),
    "the request changed": ("self.waiting[request.request_id] = Sequence(request)", "request.max_tokens = 1", "raised a type of its own (scheduler.py, line "),
    "a megabyte printed": (RETURN, "print('x' * 1_000_000, flush=True)\n        return None", "schedule returned None"),
    "raised in the middle": (RETURN, "raise IndexError('in the middle')", "schedule() raised IndexError (scheduler.py, line "),
    "sys.exit in the middle": (RETURN, "sys.exit(0)", "schedule() raised SystemExit (scheduler.py, line "),
    "an import that is not allowed": ("import sys\n", "import sys\nimport requests\n", "scheduler.py imports requests: a submission may import"),
}  # fmt: skip

ALLOCATOR_FAULTS = {
    "a float count": (FREE, "return float(len(self.free_blocks))", "num_free_blocks returned float; it should return an int"),
    "a bool count": (FREE, "return True", "num_free_blocks returned bool; it should return an int"),
    "a method where a property is meant": ("    @property\n    def num_free_blocks", "    def num_free_blocks", "num_free_blocks returned a type of its own; it should return"),
    "a table as a tuple": ("return list(self.block_tables.get(request_id, ()))", "return tuple(self.block_tables.get(request_id, ()))", "block_table returned tuple; it should return a list of int"),
    "nothing from allocate": ("        return new_blocks\n", "        pass\n", "allocate returned None; it should return a list of int"),
    "a class renamed": ("class BlockAllocator", "class Allocator", "kv_allocator.py has no class BlockAllocator"),
}  # fmt: skip

OF_PART_1 = {
    "static_slot_stays_empty",
    "continuous_slot_is_refilled",
    "continuous_prompts_join_decodes",
    "abort_running",
}
OF_PART_2 = {"new_pool", "growth_by_the_difference", "free_gives_all_blocks_back", "block_table_is_a_copy"}


def messages(result: Result, part: str) -> list[str]:
    return [test.message for p in result.parts if p.part == part for test in p.tests if test.status != "passed"]


def kept(result: Result) -> set[str]:
    return {test.id for part in result.parts for test in part.tests if test.score == test.max_score > 0}


@pytest.mark.parametrize("name", SCHEDULER_FAULTS)
def test_a_faulty_scheduler_keeps_part_2(tmp_path: Path, name: str) -> None:
    old, new, sentence = SCHEDULER_FAULTS[name]
    folder = make_submission(tmp_path / "copy", [("scheduler.py", old, new)])
    with hidden_tests_only(*OF_PART_1, *OF_PART_2):
        result = grade(folder, options=GradingOptions(limits=SHORT))
    assert result.status == "graded" and kept(result) >= OF_PART_2 and not kept(result) >= OF_PART_1
    told = messages(result, "1")
    assert any(sentence in message for message in told), told
    assert all("\n" not in message and "Traceback" not in message and len(message) < 700 for message in told)


@pytest.mark.parametrize("name", ALLOCATOR_FAULTS)
def test_a_faulty_allocator_keeps_part_1(tmp_path: Path, name: str) -> None:
    old, new, sentence = ALLOCATOR_FAULTS[name]
    folder = make_submission(tmp_path / "copy", [("kv_allocator.py", old, new)])
    with hidden_tests_only(*OF_PART_1, *OF_PART_2):
        result = grade(folder, options=GradingOptions(limits=SHORT))
    assert result.status == "graded" and kept(result) >= OF_PART_1 and not kept(result) >= OF_PART_2
    assert any(sentence in message for message in messages(result, "2")), messages(result, "2")
