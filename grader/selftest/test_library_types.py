"""Requests, jobs, limits, jobs as text, and the loading of submissions: every refusal in one clear sentence."""

import dataclasses
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from batching_lab import Job, Request, SchedulerConfig, Sequence, decode_only, parse_jobs
from batching_lab.errors import SubmissionError
from batching_lab.harness import Harness, Workload
from batching_lab.submission.loading import Submission
from batching_lab.workloads.command_line import job_text
from batching_lab.workloads.job_files import load_jobs
from grader.paths import ROOT, SOLUTION
from grader.proving.helpers import make_submission

EOS = Request("A", (1, 1), 9, 2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("", (1,), 1), "request_id must be a string that is not empty, not ''"),
        ((7, (1,), 1), "request_id must be a string that is not empty, not 7"),
        (("A", [1], 1), "request A: prompt_token_ids must be a tuple, not a list"),
        (("A", (), 1), "request A: the prompt is empty"),
        (("A", (1,), 0), "request A: max_tokens must be an integer of at least 1, not 0"),
        (("A", (1,), True), "request A: max_tokens must be an integer of at least 1, not True"),
        (("A", (1,), 1.0), "request A: max_tokens must be an integer of at least 1, not 1.0"),
        (("A", (1,), 1, -1), "request A: eos_token_id must be an integer of at least 0, not -1"),
        (("A", (1,), 1, "2"), "request A: eos_token_id must be an integer of at least 0, not '2'"),
    ],
)
def test_request_refuses(arguments: Any, says: str) -> None:
    with pytest.raises(ValueError) as error:
        Request(*arguments)
    assert str(error.value).startswith(says)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"arrival": -1}, "arrival must be an integer of at least 0, not -1"),
        ({"arrival": 0.0}, "arrival must be an integer of at least 0, not 0.0"),
        ({"output_len": 0}, "output_len must be an integer of at least 1, not 0"),
        ({"output_len": 10}, "output_len 10 is more than max_tokens 9"),
        ({"request": Request("A", (1,), 9), "output_len": 8}, "output_len 8 is less than max_tokens 9, which"),
        ({"abort_at": -1}, "abort_at must be an integer of at least 0, not -1"),
        ({"arrival": 3, "abort_at": 2}, "abort_at 2 is before its arrival 3"),
        ({"abort_at": True}, "abort_at must be an integer of at least 0, not True"),
    ],
)  # fmt: skip
def test_job_refuses(arguments: Any, says: str) -> None:
    with pytest.raises(ValueError) as error:
        Job(**{"request": EOS, **arguments})
    assert str(error.value).startswith(f"job A: {says}")


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("max_num_seqs", 0, "an integer of at least 1, not 0"),
        ("max_num_seqs", None, "an integer of at least 1, not None"),
        ("max_num_batched_tokens", 0, "an integer of at least 1, not 0"),
        ("max_num_batched_tokens", 8.0, "an integer of at least 1, not 8.0"),
        ("enable_chunked_prefill", 1, "True or False, not 1"),
        ("prefill_chunk_size", 0, "an integer of at least 1, not 0"),
        ("kv_policy", "lru", "one of guaranteed_no_evict, max_utilization, not 'lru'"),
    ],
)
def test_config_refuses(name: str, value: Any, says: str) -> None:
    with pytest.raises(ValueError) as error:
        SchedulerConfig(**{"max_num_seqs": 2, name: value})
    assert str(error.value) == f"{name} must be {says}"


@pytest.mark.parametrize(
    ("pool", "says"),
    [
        ({"num_blocks": 8}, "num_blocks is 8, block_size is None"),
        ({"block_size": 4}, "num_blocks is None, block_size is 4"),
        ({"num_blocks": 8, "block_size": None}, "num_blocks is 8, block_size is None"),
        ({"num_blocks": 0}, "num_blocks is 0, block_size is None"),
    ],
)
@pytest.mark.parametrize("made_by", ["Workload", "replace", "run", "expect"])
def test_half_a_pool_is_refused(made_by: str, pool: Any, says: str) -> None:
    """Every tick depends on the block size, so nothing makes one up, 4 or 16, for whoever gives num_blocks alone."""
    lab = Harness(Submission(SOLUTION))
    without = Workload("continuous", parse_jobs("A=1"), SchedulerConfig(1))
    with pytest.raises(ValueError) as error:
        if made_by == "Workload":
            Workload(without.policy, without.jobs, without.config, **pool)
        elif made_by == "replace":
            dataclasses.replace(without, **pool)
        elif made_by == "run":
            lab.run("continuous", "A=1", max_num_seqs=1, **pool)
        else:
            lab.expect("continuous", "A=1", max_num_seqs=1, **pool, ticks="1  A")
    assert str(error.value) == f"num_blocks and block_size belong together, give both or neither: {says}"


def test_a_pool_is_both_numbers_or_none() -> None:
    jobs = parse_jobs("A=1")
    assert Workload("static", jobs, SchedulerConfig(1)).pool is None
    workload = Workload("static", jobs, SchedulerConfig(1), num_blocks=8, block_size=4)
    assert workload.pool == (8, 4)
    assert workload.command().endswith("--blocks 8 --block-size 4")


def test_nothing_sensible_is_refused() -> None:
    assert Job(EOS, 3, 9, 3).num_output_tokens == 9 == Job(EOS).num_output_tokens
    assert Job(EOS, output_len=1).num_output_tokens == 1
    assert SchedulerConfig(1, 1, True, 1, "max_utilization").kv_policy == "max_utilization"


def test_sequence() -> None:
    sequence = Sequence(Request("A", (5, 5, 5), 3, 7))
    assert (sequence.num_tokens, sequence.num_uncomputed_tokens, sequence.is_finished) == (3, 3, False)
    sequence.num_computed_tokens, sequence.output_token_ids = 3, [1]
    assert (sequence.num_tokens, sequence.num_uncomputed_tokens, sequence.is_finished) == (4, 1, False)
    for outputs, is_finished in (([1, 2, 3], True), ([7], True), ([7, 1], False), ([1, 7], True)):
        sequence.output_token_ids = outputs
        assert sequence.is_finished is is_finished
    assert Sequence(EOS).output_token_ids is not Sequence(EOS).output_token_ids and Sequence(EOS) != Sequence(EOS)


def test_decode_only() -> None:
    assert decode_only([("A", 4), ("B", 1)]) == [Job(Request("A", (1,), 4), 0, 4), Job(Request("B", (1,), 1), 0, 1)]


@pytest.mark.parametrize(
    ("text", "as_json", "job"),
    [
        ("A=4", {"prompt_len": 1, "output_len": 4}, Job(Request("A", (1,), 4), 0, 4)),
        ("A=6+4@2", {"prompt_len": 6, "output_len": 4, "arrival": 2}, Job(Request("A", (1,) * 6, 4), 2, 4)),
        ("A=2+4/9", {"prompt_len": 2, "output_len": 4, "max_tokens": 9}, Job(EOS, 0, 4)),
        ("A=2+9/9~0", {"prompt_len": 2, "output_len": 9, "max_tokens": 9, "abort_at": 0}, Job(EOS, 0, 9, 0)),
        (
            "A=2+4/9@2~5",
            {"prompt_len": 2, "output_len": 4, "max_tokens": 9, "arrival": 2, "abort_at": 5},
            Job(EOS, 2, 4, 5),
        ),
    ],
)
def test_jobs_as_text_and_json(text: str, as_json: dict[str, Any], job: Job, tmp_path: Path) -> None:
    (tmp_path / "jobs.json").write_text(json.dumps({"jobs": [{"id": "A", **as_json}]}), encoding="utf-8")
    assert parse_jobs(text) == load_jobs(tmp_path / "jobs.json") == [job]
    assert job_text(job) == text


def test_many_jobs_as_text() -> None:
    assert [job_text(job) for job in parse_jobs(" A=4, x-1=2+3\n\tÄ:2=1@7,,")] == ["A=4", "x-1=2+3", "Ä:2=1@7"]


WORDS = ["", "A", "=4", "A=", "A=-1", "A=4+", "A=4@", "A=4~1@1", "A=4;B=1"]
UNREADABLE = "can't read the job {!r}: it must look like A=4, A=6+4 or A=6+4/9@2~5"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *((word, UNREADABLE.format(word)) for word in WORDS),
        ("A=4,B=x", UNREADABLE.format("B=x")),
        ("A=0+4", "request A: the prompt is empty"),
        ("B=4,A=0", "request A: max_tokens must be"),
        ("A=4/3", "job A: output_len 4 is more than max_tokens 3"),
        ("A=0/3", "job A: output_len must be"),
        ("A=4@2~1", "job A: abort_at 1 is before its arrival 2"),
        ("A=99999999999999999999+1", ""),
    ],
)  # fmt: skip
def test_jobs_as_text_refuse(text: str, says: str) -> None:
    with pytest.raises(ValueError) as error:
        parse_jobs(text)
    assert str(error.value).startswith(says) and "A" in str(error.value)


GOOD = '{"id": "B", "prompt_len": 1, "output_len": 1}'


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{"jobs":\n [}', "FILE, line 2 column 3: not JSON: Expecting value"),
        (b"\xff", "FILE is not UTF-8 text"),
        *((text, 'FILE: wanted an object with a list "jobs"') for text in (b"[]", b"{}", b'{"jobs": {}}')),
        ("[]", 'FILE: wanted an object with a list "jobs" that is not empty'),
        ("[1]", "FILE, job 1: wanted an object, not 1"),
        (f'[{GOOD}, {{"prompt_len": 1, "output_len": 1}}]', 'FILE, job 2: "id" is missing'),
        ('[{"id": "A", "output_len": 1}]', 'FILE, job 1: "prompt_len" is missing'),
        (GOOD.join("[]").replace("}", ', "arival": 1}'), 'FILE, job 1: "arival" is not one of abort_at, arrival, id'),
        (GOOD.join("[]").replace("}", ', "arrival": "1"}'), "FILE, job 1: \"arrival\" must be an integer, not '1'"),
        (GOOD.join("[]").replace("}", ', "arrival": true}'), 'FILE, job 1: "arrival" must be an integer, not True'),
        (GOOD.join("[]").replace("}", ', "arrival": -1}'), "FILE, job 1: job B: arrival must be"),
        (GOOD.join("[]").replace('"B"', "7"), "FILE, job 1: request_id must be a string"),
        (GOOD.join("[]").replace("1,", "-3,"), "FILE, job 1: "),
        (GOOD.join("[]").replace("1,", "99999999999999999999,"), "FILE, job 1: "),
    ],
)  # fmt: skip
def test_jobs_file_refuses(content: bytes | str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "jobs.json"
    path.write_bytes(content if isinstance(content, bytes) else f'{{"jobs": {content}}}'.encode())
    with pytest.raises(ValueError) as error:
        load_jobs(path)
    assert str(error.value).startswith(says.replace("FILE", str(path)))


def test_jobs_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"can't read the jobs file .*nothing\.json: No such file"):
        load_jobs(tmp_path / "nothing.json")


@pytest.fixture(autouse=True)
def keep_imports() -> Iterator[None]:
    path, modules = list(sys.path), dict(sys.modules)
    yield
    sys.path[:] = path
    for name in [*(sys.modules.keys() - modules.keys()), "scheduler", "kv_allocator", "extra"]:
        sys.modules.pop(name, None)


ONLY = "a submission may import the standard library, batching_lab and its own .py files, nothing else"
TAKEN = "has the name of a module that others import: give the file another name"
CANT = "scheduler.py can't be imported:"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"scheduler.py": "x = 1"}, "scheduler.py has no class StaticScheduler"),
        ({"scheduler.py": "def StaticScheduler(): pass"}, "scheduler.py has no class StaticScheduler"),
        (
            {"scheduler.py": "class StaticScheduler:\n    add_request = print"},
            "scheduler.py: the class StaticScheduler has no abort",
        ),
        ({"scheduler.py": "\n\nx = = 1"}, f"{CANT} syntax error in scheduler.py, line 3: invalid syntax"),
        ({"scheduler.py": "x = 1\0"}, f"{CANT} SyntaxError: source code string cannot contain null bytes"),
        (
            {"scheduler.py": "import extra", "extra.py": "\nif x"},
            "scheduler.py can't be imported: syntax error in extra.py, line 2: expected ':'",
        ),
        ({"scheduler.py": "\nx"}, f"{CANT} NameError: name 'x' is not defined (scheduler.py, line 2: x)"),
        (
            {"scheduler.py": "import extra", "extra.py": "assert False"},
            f"{CANT} AssertionError (extra.py, line 1: assert False)",
        ),
        ({"scheduler.py": "import sys\nsys.exit(3)"}, f"{CANT} SystemExit: 3 (scheduler.py, line 2: sys.exit(3))"),
        ({"scheduler.py": "raise ValueError('a\\nb')"}, None),
        ({"scheduler.py": "class E(Exception):\n    def __str__(self): 1 / 0\nraise E"}, None),
        ({"scheduler.py": "import numpy.linalg as n"}, f"scheduler.py imports numpy: {ONLY}"),
        ({"scheduler.py": "def f():\n    from yaml import load"}, f"scheduler.py imports yaml: {ONLY}"),
        ({"scheduler.py": "import grader"}, f"scheduler.py imports grader: {ONLY}"),
        ({"scheduler.py": "import extra", "extra.py": "import torch"}, f"extra.py imports torch: {ONLY}"),
        (
            {"scheduler.py": "import kv_allocator", "kv_allocator.py": "x = 1; import torch"},
            f"kv_allocator.py imports torch: {ONLY}",
        ),
        *(({name: ""}, f"{name} {TAKEN}") for name in ("json.py", "batching_lab.py", "pytest.py", "numpy.py")),
    ],
)  # fmt: skip
def test_submission_that_cannot_be_loaded(files: dict[str, str], says: str | None, tmp_path: Path) -> None:
    submission = Submission(make_submission(tmp_path / "one", files=files))
    for _ in range(2):  # asked again, it says the same
        with pytest.raises(SubmissionError) as error:
            submission.get_class("StaticScheduler")
        assert str(error.value) == says or (says is None and str(error.value).startswith(CANT))
        assert "\n" not in str(error.value)


def test_a_module_of_a_later_python_may_have_an_alternative(tmp_path: Path) -> None:
    """What works here by another way is no fault; the import itself tells what does not."""
    text = (SOLUTION / "scheduler.py").read_text(encoding="utf-8")
    guarded = "try:\n    from compression import zstd\nexcept ImportError:\n    zstd = None\n"
    later = "import sys\nif sys.version_info >= (3, 14):\n    import annotationlib\n"
    for name, head in (("guarded", guarded), ("later", later)):
        folder = make_submission(tmp_path / name, files={"scheduler.py": text.replace("\nfrom", f"\n{head}from", 1)})
        assert Submission(folder).get_class("StaticScheduler").__name__ == "StaticScheduler"


def test_missing_parts_of_a_submission(tmp_path: Path) -> None:
    with pytest.raises(SubmissionError, match=r"^there is no submission folder .*none$"):
        Submission(tmp_path / "none")
    sys.path.insert(0, str(ROOT / "starter"))  # as an editable install does: not to be used instead
    for name in ("BlockAllocator", "StaticScheduler"):
        with pytest.raises(SubmissionError, match=r"^(kv_allocator|scheduler)\.py is missing$"):
            Submission(tmp_path).get_class(name)
    for content, says in ((None, "is missing"), (b"\xff", "is not UTF-8"), (b"a = ", "is not valid TOML: Inv")):
        if content is not None:
            (tmp_path / "answers.toml").write_bytes(content)
        with pytest.raises(SubmissionError, match=rf"^answers\.toml {says}"):
            Submission(tmp_path).answers()


def test_fault_in_one_file_costs_its_classes_only(tmp_path: Path) -> None:
    submission = Submission(make_submission(tmp_path / "one", files={"kv_allocator.py": "1 / 0"}))
    with pytest.raises(SubmissionError, match=r"^kv_allocator\.py can't be imported: ZeroDivisionError"):
        submission.get_class("BlockAllocator")
    assert submission.get_class("ContinuousScheduler").__module__ == "scheduler"


METHODS = "add_request=abort=schedule=update=num_free_blocks=blocks_needed=can_allocate=allocate=block_table=free=len"
SHARED = f"""
class StaticScheduler:
    {METHODS}
    def has_unfinished(self):
        IN A FUNCTION
        return extra.X
class BlockAllocator(StaticScheduler): pass
"""


@pytest.mark.parametrize(
    ("where", "foreign"),
    [("AT THE TOP", "starter"), ("AT THE TOP", "a namespace package")],
)
def test_modules_of_other_folders_are_never_used(where: str, foreign: str, tmp_path: Path) -> None:
    """Not those of another submission, of starter/, or of whoever else has one of that name."""
    sys.path.insert(0, str(ROOT / "starter"))
    sys.modules.pop("scheduler", None)
    assert importlib.import_module("scheduler").__file__ == str(ROOT / "starter" / "scheduler.py")
    if foreign != "starter":
        sys.modules["extra"] = ModuleType("extra")  # it has no __file__
    text = f"AT THE TOP{SHARED}".replace(where, "import extra").replace("AT THE TOP", "").replace("IN A FUNCTION", "")
    one, two = (
        Submission(
            make_submission(
                tmp_path / name, files={"scheduler.py": text, "kv_allocator.py": text, "extra.py": f"X = {name!r}"}
            )
        )
        for name in ("one", "two")
    )
    for name in ("StaticScheduler", "BlockAllocator", "StaticScheduler"):
        classes = [submission.get_class(name) for submission in (one, two)]
        assert [cls().has_unfinished() for cls in classes] == ["one", "two"]
