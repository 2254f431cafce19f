"""What a student sees of the public tests, run as a student runs them."""

import re
from pathlib import Path

import pytest

from grader.paths import SOLUTION
from grader.proving.helpers import ALL_POINTS, HAS_MODEL, RIGHT_SUBMISSIONS, make_submission, run_pytest, slow_after


def squeezed(text: str) -> str:
    """With one space for many: how wide a column is depends on which parts ran."""
    return re.sub(r" +", " ", text)


def test_starter_gives_a_calm_list() -> None:
    code, output = run_pytest()
    assert code == 1
    for line in (
        "Still to do:",
        "  Part 0: answers in answers.toml (10 tests)",
        "  Part 1: SchedulerBase.__init__ in scheduler.py (12 tests)",
        "  Part 3: needs Part 2: BlockAllocator is not done yet (11 tests)",
        "  Part 6-cpu: needs Part 2: BlockAllocator is not done yet (4 tests)",
        "The points are an estimate: hidden tests decide.",
    ):
        assert line in output
    assert "0.0 / 94" in output
    assert "Traceback" not in output and "Error" not in output and "FAILURES" not in output


@pytest.mark.parametrize("folder", slow_after(3, [SOLUTION, *RIGHT_SUBMISSIONS], lambda path: path.name))
def test_right_submissions_pass(folder: Path, tmp_path: Path) -> None:
    code, output = run_pytest("--submission", str(make_submission(tmp_path / "copy", base=folder)))
    assert code == 0, output
    assert f"{ALL_POINTS}.0 / {ALL_POINTS}" in output


def test_without_pytorch_part_6_is_skipped_with_a_sentence() -> None:
    code, output = run_pytest("-q", "--submission", "solution", code="import sys; sys.modules['torch'] = None\n")
    assert code == 0, output
    assert "90.0 / 90" in output and "4 skipped" in output
    assert 'Part 6-cpu did not run: the model needs PyTorch: pip install "batching-lab[model]".' in output


def test_solution_passes_without_what_windows_lacks() -> None:
    block = (
        "import os, signal, sys\n"
        "for name in ('fcntl', 'resource', 'termios', 'pwd', 'grp'): sys.modules[name] = None\n"
        "for name in ('fork', 'killpg', 'setsid'): delattr(os, name)\n"
        "for name in ('SIGALRM', 'setitimer'): delattr(signal, name)\n"
    )
    block += "sys.modules['torch'] = None\n"  # PyTorch on Linux needs some of them
    code, output = run_pytest("-p", "no:faulthandler", "--submission", "solution", code=block)
    assert code == 0 and "90.0 / 90" in output, output


@pytest.mark.parametrize(
    ("folder", "sentence"),
    [
        ("nowhere", "--submission: there is no folder nowhere"),
        ("tests", "--submission: the folder tests holds no scheduler.py, no kv_allocator.py and no answers.toml"),
    ],
)
def test_a_wrong_folder_is_one_sentence(folder: str, sentence: str) -> None:
    code, output = run_pytest("--submission", folder)
    assert code == 4 and output.strip() == f"ERROR: {sentence}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def f(:\n", "scheduler.py can't be imported: syntax error in scheduler.py, line 1: "),
        (
            "\n1 / 0\n",
            "scheduler.py can't be imported: ZeroDivisionError: division by zero (scheduler.py, line 2: 1 / 0)",
        ),
        ("import sys\nsys.exit()\n", "scheduler.py can't be imported: SystemExit"),
        (
            "import torch\n",
            "scheduler.py imports torch: a submission may import the standard library, batching_lab and",
        ),
        ("x = 1\n", "scheduler.py has no class "),
    ],
)
def test_a_file_that_cannot_be_loaded_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    folder = make_submission(tmp_path / "copy", files={"scheduler.py": text})
    code, output = run_pytest("--submission", str(folder), "-q")
    assert code == 1 and sentence in output
    assert "tests could not run.)" in output and "FAILURES" not in output
    assert "KV block allocator 11 of 11 15.0 / 15" in squeezed(output)


def test_a_broken_file_is_told_without_pytorch(tmp_path: Path) -> None:
    """Which takes seconds to import."""
    folder = make_submission(tmp_path / "copy", files={"scheduler.py": "def f(:\n"})
    ends = "import atexit, sys; atexit.register(lambda: print('PyTorch:', 'torch' in sys.modules))\n"
    code, output = run_pytest("--submission", str(folder), "-q", "-k", "part1 or part6", code=ends)
    num_tests = 16 if HAS_MODEL else 12
    assert code == 1 and f"({num_tests} tests could not run.)" in output and output.endswith("PyTorch: False\n")


def test_a_missing_file_costs_its_part(tmp_path: Path) -> None:
    folder = make_submission(tmp_path / "copy")
    (folder / "kv_allocator.py").unlink()
    code, output = run_pytest("--submission", str(folder), "-q")
    assert code == 1 and "kv_allocator.py is missing. (11 tests could not run.)" in output
    assert "Part 3: needs Part 2: kv_allocator.py is missing" in output
    assert "Static and continuous batching 12 of 12 15.0 / 15" in squeezed(output)


def with_schedule(tmp_path: Path, lines: str) -> str:
    """A submission whose ContinuousScheduler.schedule begins with some lines, while two sequences are running."""
    old = "        self.scheduled = {}\n        preempted: list[str] = []\n"
    new = "        if len(self.running) == 2:\n" + "".join(f"            {line}\n" for line in lines.splitlines())
    return str(make_submission(tmp_path / "copy", [("scheduler.py", old, old + new)]))


def test_a_difference_shows_the_tick_and_the_rule(tmp_path: Path) -> None:
    folder = make_submission(
        tmp_path / "copy",
        [("scheduler.py", "if not self.running:\n            self.form_batch()", "self.form_batch()")],
    )
    code, output = run_pytest("--submission", str(folder), "-k", "seed_static")
    assert code == 1
    wanted = """\
Tick 2: C ran, but should not have: it should have waited.
Rule tested here: A batch is formed only when nothing is running.
   tick  expected  got
   1     A B       A B
>  2     A         A C
   3     A         A
   4     A         A
   5     C         (over)
"""
    assert wanted in output
    assert "Run it again: python -m batching_lab run --policy static --jobs A=4,B=1,C=1 --slots 2" in output
    assert "ledger.py" not in output and "harness.py" not in output


def test_an_endless_loop_costs_its_tests(tmp_path: Path) -> None:
    folder = with_schedule(tmp_path, "while True:\n    pass")
    code, output = run_pytest("--submission", folder, "-q", "-o", "timeout=2", "-k", "part2 or end_of_sequence")
    assert code == 1
    assert "The test had not ended after 2 seconds: an endless loop?" in output
    assert "in schedule: while True:" in output or "in schedule: pass" in output
    assert "KV block allocator 11 of 11 15.0 / 15" in squeezed(output)


def test_what_cannot_be_stopped_still_ends_with_the_points(tmp_path: Path) -> None:
    folder = with_schedule(tmp_path, "import time\ntime.sleep(1000)")
    code, output = run_pytest("--submission", folder, "-q", "-o", "timeout=2")
    assert code == 1
    assert "does not end and can't be stopped: an endless loop that catches every exception?" in output
    assert "The tests after it did not run." in output and "The points are an estimate" in output
    assert "Predictions (their form only) 10 of 10 5.0 / 5" in squeezed(output)


def test_a_folder_with_a_blank_is_quoted_in_the_command_to_copy(tmp_path: Path) -> None:
    folder = make_submission(
        tmp_path / "my lab", [("scheduler.py", "        return finished\n", "        return []\n")]
    )
    _, output = run_pytest("--submission", str(folder), "-q", "-k", "test_seed_example or part1")
    again = next(line for line in output.splitlines() if line.startswith("Run it again: "))
    assert again.endswith(f' --slots 2 --submission "{folder}"')


def test_an_exception_names_line_and_tick(tmp_path: Path) -> None:
    folder = with_schedule(tmp_path, "print('two are running')\nraise IndexError('oops')")
    code, output = run_pytest("--submission", folder, "-k", "seed_continuous or abort_running")
    assert code == 1
    assert "Your code raised IndexError: oops (in tick 2)." in output
    assert "in schedule: raise IndexError('oops')" in output
    assert "two are running" in output, "what a student prints must be shown"
    assert "ledger.py" not in output and "loop.py" not in output


def test_a_broken_rule_names_tick_and_numbers(tmp_path: Path) -> None:
    folder = with_schedule(tmp_path, "return Schedule({name: 2 for name in self.running})")
    code, output = run_pytest("--submission", folder, "-k", "seed_continuous or abort_running")
    assert code == 1 and "Tick 2: A was scheduled for 2 tokens, but has 1 to compute." in output
    assert ">  2     A B       A:2 B:2" in output


def test_a_wrong_return_type_is_named(tmp_path: Path) -> None:
    folder = with_schedule(tmp_path, "return {'A': 1}")
    code, output = run_pytest("--submission", folder, "-k", "abort_running")
    assert code == 1 and "schedule() returned {'A': 1} (dict). " not in output
    assert "Tick 2: schedule() returned {'A': 1} (dict)." in output


def test_a_wrong_allocator_is_named_before_parts_3_to_5(tmp_path: Path) -> None:
    old = "return max(0, num_blocks_wanted - num_blocks_held)"
    folder = make_submission(tmp_path / "copy", [("kv_allocator.py", old, "return num_blocks_wanted")])
    code, output = run_pytest("--submission", str(folder), "-q")
    assert code == 1
    assert "blocks_needed for 9 is 3; it should be 2" in output
    assert "Part 3: needs Part 2: " in output


def test_an_admission_after_a_preemption_is_seen(tmp_path: Path) -> None:
    """By the public test that is about it: there is room for the victim's next chunk."""
    changes = [("scheduler.py", "        if not preempted:\n            self.admit", "        self.admit")]
    folder = make_submission(tmp_path / "copy", changes)
    name = "test_nobody_is_admitted_after_a_preemption"
    code, output = run_pytest("--submission", str(folder), "-q", "-k", name)
    assert code == 1 and "Tick 3: B was preempted and scheduled in one tick." in output
    assert ">  3     A -B      A B -B" in output


def test_without_pytest_timeout(tmp_path: Path) -> None:
    """`-p no:timeout`, for a debugger say: the tests run, and so does the look at the allocator before Part 3."""
    code, output = run_pytest("-p", "no:timeout", "-q", "-k", "part2 or part3", "--submission", str(SOLUTION))
    assert code == 0 and "Two budgets 11 of 11 20.0 / 20" in squeezed(output)


def test_a_part_alone_says_what_is_not_counted() -> None:
    code, output = run_pytest("--submission", "solution", "-k", "part4", "-q")
    assert code == 0 and "15.0 / 15" in output and "did not run and are not counted here." in output


def test_full_tracebacks_are_there_for_whoever_asks(tmp_path: Path) -> None:
    folder = with_schedule(tmp_path, "raise IndexError('oops')")
    code, output = run_pytest("--submission", folder, "-k", "abort_running", "--tb=short")
    assert code == 1 and "loop.py" in output
