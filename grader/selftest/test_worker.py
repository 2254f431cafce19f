"""The worker and the channel: deadlines, dead workers, lies, and what a student's process can't do."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from batching_lab import Request, RequestTooLong, SchedulerConfig
from batching_lab.harness import Harness
from batching_lab.reports.run_json import trace_json
from grader.proving.helpers import SHORT, scheduler_file
from grader.worker import channel as channel_module
from grader.worker.channel import Deadline, is_asleep
from grader.worker.client import Worker, parse_reply, place_of, type_name
from grader.worker.faults import CannotLoad, NotDone, ProtocolFault, SubmissionFault, WorkerDied, WorkerTimeout
from grader.worker.proxies import WorkerHarness
from grader.worker.text import clean_text

StartWorker = Callable[..., WorkerHarness]
CONFIG = SchedulerConfig(2)
REQUEST = Request("A", (1, 2), 3)


def test_the_same_run_as_in_process(start_worker: StartWorker) -> None:
    lab = start_worker({})
    trace = lab.run(
        "continuous", "A=6+6,B=6+6,C=3+2@2", max_num_seqs=2, num_blocks=4, block_size=4, kv_policy="max_utilization"
    )
    local = Harness(lab.submission).run(
        "continuous", "A=6+6,B=6+6,C=3+2@2", max_num_seqs=2, num_blocks=4, block_size=4, kv_policy="max_utilization"
    )
    assert trace_json(trace) == trace_json(local)
    assert trace.num_preemptions > 0


def test_contract_errors_cross_the_channel(start_worker: StartWorker) -> None:
    lab = start_worker({})
    scheduler = lab.scheduler("continuous", SchedulerConfig(1, max_num_batched_tokens=1))
    with pytest.raises(RequestTooLong):
        scheduler.add_request(REQUEST)
    scheduler.add_request(Request("B", (1,), 1))
    with pytest.raises(ValueError, match=r"add_request\(\) raised ValueError \(scheduler.py, line \d+\)"):
        scheduler.add_request(Request("B", (1,), 1))


@pytest.mark.parametrize("body", ["while True: pass", "import time; time.sleep(1000)"])
def test_a_call_that_does_not_return(start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    monkeypatch.setattr(channel_module, "WALL_FACTOR", 2)
    lab = start_worker(scheduler_file(schedule=body))
    scheduler = lab.scheduler("continuous", CONFIG)
    with pytest.raises(WorkerTimeout, match=r"schedule\(\) had not returned after 0.5 seconds"):
        scheduler.schedule()
    with pytest.raises(WorkerDied):
        scheduler.schedule()


def test_an_import_that_does_not_end(start_worker: StartWorker) -> None:
    lab = start_worker({"scheduler.py": "while True: pass"})
    with pytest.raises(WorkerTimeout, match=r"the import of scheduler.py had not returned after 2 seconds"):
        lab.scheduler("continuous", CONFIG)


@pytest.mark.parametrize(
    ("is_asleep", "cpu_per_second", "own_seconds"),
    [(False, 0.0, 0.0), (False, 1.0, 9.0), (False, 0.25, 2.25), (True, 0.0, 9.0), (True, 0.5, 9.0)],
)
def test_a_workers_own_time(
    monkeypatch: pytest.MonkeyPatch, is_asleep: bool, cpu_per_second: float, own_seconds: float
) -> None:
    """What it computes or sleeps. Time in which it waits for a processor on a busy machine is not its own."""
    now = 100.0
    monkeypatch.setattr(channel_module, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(channel_module, "cpu_seconds", lambda pid: 1.0 + (now - 100.0) * cpu_per_second)
    monkeypatch.setattr(channel_module, "is_asleep", lambda pid: is_asleep)
    deadline = Deadline(1, 10.0)
    for _ in range(9):
        now += 1.0
        deadline.remaining()
    assert deadline.spent() == pytest.approx(own_seconds)
    now += 2.0
    if own_seconds > 8:
        with pytest.raises(WorkerTimeout):
            deadline.remaining()
    now += 10.0 * channel_module.WALL_FACTOR
    with pytest.raises(WorkerTimeout):  # the end on the wall clock, whatever it did
        deadline.remaining()


@pytest.mark.parametrize("body", ["import os; os._exit(0)", "import ctypes; ctypes.string_at(0)"])
def test_a_process_that_ends(start_worker: StartWorker, body: str) -> None:
    scheduler = start_worker(scheduler_file(schedule=body)).scheduler("continuous", CONFIG)
    with pytest.raises(WorkerDied, match=r"ended during schedule\(\)"):
        scheduler.schedule()


@pytest.mark.parametrize("body", ["import sys; sys.exit(0)", "raise KeyboardInterrupt", "raise SystemExit", "1 / 0"])
def test_an_exception_costs_the_call_not_the_process(start_worker: StartWorker, body: str) -> None:
    scheduler = start_worker(scheduler_file(schedule=body)).scheduler("continuous", CONFIG)
    for _ in range(2):
        with pytest.raises(SubmissionFault, match=r"schedule\(\) raised \w+ \(scheduler.py, line 12\)"):
            scheduler.schedule()


def test_the_text_of_an_exception_stays_in_the_worker(start_worker: StartWorker) -> None:
    """It might carry a hidden input to the student."""
    lab = start_worker(scheduler_file(add_request="raise type(str(request), (Exception,), {})(repr(request))"))
    with pytest.raises(SubmissionFault) as caught:
        lab.scheduler("continuous", CONFIG).add_request(REQUEST)
    assert str(caught.value) == "add_request() raised a type of its own (scheduler.py, line 8)."


@pytest.mark.parametrize(
    ("body", "returned"),
    [
        ("return None", "None"),
        ("return []", "list"),
        ("return Schedule({'A': 1.0})", "a type of its own"),
        ("return Schedule({'A': True})", "a type of its own"),
        ("return Schedule({1: 1})", "a type of its own"),
        ("return Schedule({}, ['A'])", "a type of its own"),
        ("return Schedule([('A', 1)])", "a type of its own"),
        ("return Schedule({'A': type('int', (int,), {})(1)})", "a type of its own"),
    ],
)
def test_wrong_return_types_of_schedule(start_worker: StartWorker, body: str, returned: str) -> None:
    scheduler = start_worker(scheduler_file(schedule=body)).scheduler("continuous", CONFIG)
    with pytest.raises(SubmissionFault, match=r"it should (be|return) (a|an) \w+"):
        scheduler.schedule()


@pytest.mark.parametrize("body", ["return None", "return ('A',)", "return [1]", "return {'A'}"])
def test_wrong_return_types_of_update(start_worker: StartWorker, body: str) -> None:
    scheduler = start_worker(scheduler_file(update=body)).scheduler("continuous", CONFIG)
    with pytest.raises(SubmissionFault, match=r"update returned \w+.*; it should return a list of str"):
        scheduler.update({})


@pytest.mark.parametrize("body", ["return 1", "return None"])
def test_has_unfinished_must_be_a_bool(start_worker: StartWorker, body: str) -> None:
    scheduler = start_worker(scheduler_file(has_unfinished=body)).scheduler("continuous", CONFIG)
    with pytest.raises(SubmissionFault, match="it should return a bool"):
        scheduler.has_unfinished()


FIND_CHANNEL = """
import gc, io, json
def forge(line):
    for thing in gc.get_objects():
        if isinstance(thing, io.BufferedWriter) and thing.fileno() > 2:
            thing.write(line)
            thing.flush()
"""


@pytest.mark.parametrize(
    "line",
    [
        b'{"id": 1, "value": null}\n',
        b"PASSED\n",
        b'{"id": 1e999, "value": 1}\n',
        b"[" * 100_000 + b"\n",
        b'{"id": ' + b"9" * 5000 + b"}\n",
        b"\xff\xfe\n",
    ],
)
def test_forged_lines_are_fatal(start_worker: StartWorker, line: bytes) -> None:
    """Whatever the submission writes into the channel itself, before the reply or after it, ends the worker."""
    files = scheduler_file(top=FIND_CHANNEL, schedule=f"forge({line!r}); return Schedule({{}})")
    scheduler = start_worker(files).scheduler("continuous", CONFIG)
    with pytest.raises(ProtocolFault, match="no reply to what it was asked"):
        scheduler.schedule()


def test_a_reply_without_end(start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel_module, "MAX_LINE_BYTES", 100_000)
    files = scheduler_file(top=FIND_CHANNEL, schedule="forge(b'x' * 1_000_000); return Schedule({})")
    scheduler = start_worker(files).scheduler("continuous", CONFIG)
    with pytest.raises(ProtocolFault, match="more than a reply can hold"):
        scheduler.schedule()


def test_output_is_kept_capped_and_never_parsed(start_worker: StartWorker) -> None:
    body = "print('{\"id\": 1}'); print('x' * 5_000_000); return Schedule({})"
    lab = start_worker(scheduler_file(schedule=body))
    assert lab.scheduler("continuous", CONFIG).schedule().num_scheduled_tokens == {}
    log = lab.worker.channel.log()
    assert log.startswith(b'{"id": 1}') and len(log) <= channel_module.MAX_LOG_BYTES


def test_input_is_empty(start_worker: StartWorker) -> None:
    lab = start_worker(scheduler_file(schedule="import sys; sys.stdin.read(); input(); return Schedule({})"))
    with pytest.raises(SubmissionFault, match="EOFError"):
        lab.scheduler("continuous", CONFIG).schedule()


def test_environment_and_folder_are_bare(start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "123")
    body = (
        "import os, sys; "
        "assert set(os.environ) <= {'PYTHONHASHSEED', 'PYTHONHOME', 'LC_CTYPE'}, os.environ; "
        "assert sorted(os.listdir()) == ['__pycache__', 'answers.toml', 'kv_allocator.py', 'scheduler.py']; "
        "assert not any('site-packages' in path for path in sys.path); return Schedule({})"
    )
    start_worker(scheduler_file(schedule=body), fresh=True).scheduler("continuous", CONFIG).schedule()


OPEN_FILES = "{os.path.realpath('/proc/self/fd/' + name) for name in os.listdir('/proc/self/fd')}"


def test_no_descriptor_but_the_channel_is_inherited(start_worker: StartWorker) -> None:
    """Its pipes, and what any Python process with ctypes holds open: newer versions of libffi keep their own file."""
    code = f"import ctypes, os; print(*[file for file in {OPEN_FILES} if not file.startswith('/proc')])"
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    body = (
        f"import os; files = {OPEN_FILES}; pipes = {{file for file in files if 'pipe:' in file}}; "
        "others = {file for file in files - pipes if not os.path.basename(file).isdigit()}; "  # that of listdir
        f"raise NotImplementedError if len(pipes) == 3 and others <= {set(done.stdout.split())} else Exception(others)"
    )
    with pytest.raises(NotDone):
        start_worker(scheduler_file(schedule=body), isolation="off", fresh=True).scheduler(
            "continuous", CONFIG
        ).schedule()


def test_hash_and_random_seeds_are_fixed(start_worker: StartWorker) -> None:
    body = "import random; return Schedule({str(hash('x')) + str(random.random()): 1})"
    schedules = [
        start_worker(scheduler_file(schedule=body)).scheduler("continuous", CONFIG).schedule() for _ in range(2)
    ]
    assert schedules[0] == schedules[1]


def test_memory_is_limited(start_worker: StartWorker) -> None:
    lab = start_worker(scheduler_file(schedule="x = bytearray(4 << 30); return Schedule({})"))
    with pytest.raises(SubmissionFault, match="MemoryError"):
        lab.scheduler("continuous", CONFIG).schedule()


def test_processes_left_behind_are_killed(start_worker: StartWorker, tmp_path: Path) -> None:
    body = (
        "import os, time\n        if os.fork() == 0:\n            time.sleep(1000)\n"
        "        return Schedule({'A': os.getpid()})"
    )
    lab = start_worker(scheduler_file(schedule=body), isolation="off")
    group = lab.scheduler("continuous", CONFIG).schedule().num_scheduled_tokens["A"]
    lab.worker.close()
    deadline = time.monotonic() + 10
    while not has_ended(-group) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert has_ended(-group), "a process of the submission's is still there"


def has_ended(pid: int) -> bool:
    """A process or, with a minus, a group; also those that nobody waited for: not every container's init does."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    states = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, group = path.read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
            if pid in (int(path.parent.name), -int(group)):
                states.append(state)
    return bool(states) and set(states) <= {"Z", "X"}


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"scheduler.py": "def f(:\n"}, "scheduler.py can't be imported: syntax error in scheduler.py, line 1"),
        ({"scheduler.py": "x = 1\nraise RuntimeError('no')"}, "RuntimeError: no (scheduler.py, line 2"),
        ({"scheduler.py": "import sys; sys.exit(0)"}, "scheduler.py can't be imported: SystemExit: 0"),
        ({"scheduler.py": "import numpy"}, "scheduler.py imports numpy: a submission may import"),
        ({"scheduler.py": "x = 1"}, "scheduler.py has no class ContinuousScheduler"),
        ({"scheduler.py": "class ContinuousScheduler: pass"}, "the class ContinuousScheduler has no add_request"),
    ],
)
def test_files_that_cannot_be_loaded(start_worker: StartWorker, files: dict[str, str], sentence: str) -> None:
    with pytest.raises(CannotLoad) as caught:
        start_worker(files).scheduler("continuous", CONFIG)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b'"x"',
        b'{"id": "7"}',
        b'{"id": true, "value": 1}',
        b'{"id": 7.0, "value": 1}',
        b'{"id": "8", "value": 1}',
        b'{"id": "7", "value": 1, "more": 1}',
        b'{"id": "7", "error": "x"}',
        b'{"id": "7", "value": NaN}',
    ],
)
def test_what_is_no_reply(line: bytes) -> None:
    with pytest.raises(ProtocolFault):
        parse_reply(line, "7")


def test_what_is_a_reply() -> None:
    assert parse_reply(b'{"id": "7", "value": null}', "7") == {"id": "7", "value": None}
    assert parse_reply(b'{"id": "7", "error": {}}', "7") == {"id": "7", "error": {}}


SCHEDULE_REPLY = {
    "scheduled": [["A", 1]],
    "preempted": [],
    "has_unfinished": True,
    "tables": {"A": [0, [3]]},
    "free": 7,
}


@pytest.mark.parametrize(
    "change",
    [
        {"scheduled": None},
        {"scheduled": {"A": 1}},
        {"scheduled": [["A", 1.0]]},
        {"scheduled": [["A", True]]},
        {"scheduled": [["A", 1], ["A", 2]]},
        {"scheduled": [[1, 1]]},
        {"scheduled": [["A"]]},
        {"preempted": "A"},
        {"preempted": [1]},
        {"has_unfinished": 1},
        {"has_unfinished": None},
        {"tables": []},
        {"tables": {"A": [0]}},
        {"tables": {"A": [1, [3]]}},
        {"tables": {"A": [-1, [3]]}},
        {"tables": {"A": [0, [3.0]]}},
        {"tables": {"A": [0, [True]]}},
        {"free": "7"},
        {"free": 7.0},
        {"free": False},
    ],
)
def test_every_field_of_a_reply_is_checked(
    start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch, change: dict[str, object]
) -> None:
    lab = start_worker({})
    allocator = lab.allocator(8, 4)
    scheduler = lab.scheduler("continuous", CONFIG, allocator)
    allocator.request_ids.add("A")  # type: ignore[attr-defined]
    monkeypatch.setattr(lab.worker, "call", lambda *_, **__: SCHEDULE_REPLY)
    assert scheduler.schedule().num_scheduled_tokens == {"A": 1}
    assert allocator.block_table("A") == [3] and allocator.num_free_blocks == 7
    monkeypatch.undo()
    allocator = lab.allocator(8, 4)
    allocator.request_ids.add("A")  # type: ignore[attr-defined]
    scheduler = lab.scheduler("continuous", CONFIG, allocator)
    monkeypatch.setattr(lab.worker, "call", lambda *_, **__: SCHEDULE_REPLY | change)
    with pytest.raises(ProtocolFault):
        scheduler.schedule()


def test_texts_from_the_worker_are_cleaned() -> None:
    assert clean_text("a\nb\x1b[31m\ud800", 100) == "a b [31m "
    assert clean_text("x" * 400, 300).endswith("...") and len(clean_text("x" * 400, 300)) == 300
    assert clean_text(["x"], 300) == "something unreadable"
    assert type_name("ValueError") == "ValueError" and type_name("print") == "a type of its own"
    assert type_name("r1=3+4") == "a type of its own"
    line_counts = {"scheduler.py": 3, "padded.py": 100_000}
    assert place_of({"file": "scheduler.py", "line": 2}, line_counts) == " (scheduler.py, line 2)"
    assert place_of({"file": "padded.py", "line": 2}, line_counts) == ""
    for lie in ({"file": "scheduler.py", "line": 99}, {"file": "../x.py", "line": 1}, {"file": "x.py", "line": True}):
        assert place_of(lie, line_counts) == ""


def test_thread_channel_serves_like_the_other(start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The channel for Windows, tried here."""
    monkeypatch.setattr("grader.worker.client.open_channel", channel_module.ThreadChannel)
    lab = start_worker({})
    trace = lab.run(
        "continuous", "A=6+6,B=6+6", max_num_seqs=2, num_blocks=4, block_size=4, kv_policy="max_utilization"
    )
    assert trace.finish_ticks == {"A": 6, "B": 9}
    slow = start_worker(scheduler_file(schedule="while True: pass")).scheduler("continuous", CONFIG)
    with pytest.raises(WorkerTimeout):
        slow.schedule()
    dead = start_worker(scheduler_file(schedule="import os; os._exit(0)")).scheduler("continuous", CONFIG)
    with pytest.raises(WorkerDied):
        dead.schedule()


def test_spawned_workers_serve_like_forked_ones(start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    """What macOS and Windows get, tried here."""
    monkeypatch.setattr(sys, "platform", "darwin")
    lab = start_worker({}, isolation="best", fresh=True)
    assert lab.worker.sandbox.template is None
    trace = lab.run("static", "A=4,B=1,C=1", max_num_seqs=2)
    assert trace.finish_ticks == {"B": 1, "A": 4, "C": 5}


def test_a_worker_can_be_closed_at_once(start_worker: StartWorker) -> None:
    """Also before it leads a process group of its own."""
    sandbox = start_worker({}).worker.sandbox
    for _ in range(200):
        Worker(sandbox, SHORT).close()


def test_the_worker_dies_with_the_grader() -> None:
    script = (
        "import sys, os\nfrom pathlib import Path\n"
        "from grader.worker.sandbox import sandbox_for\nfrom grader.worker.client import Limits, Worker\n"
        "context = sandbox_for(Path('solution'))\nsandbox, _ = context.__enter__()\n"
        "worker = Worker(sandbox, Limits())\nprint(worker.process.pid, flush=True)\nos._exit(1)\n"
    )
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'starter'}"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=root, env=environment, timeout=60
    )
    pid = int(done.stdout)
    deadline = time.monotonic() + 10
    while not has_ended(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert has_ended(pid)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux shows the states of processes")
@pytest.mark.parametrize("main_thread", ["sleeps", "is dead", "computes"])
def test_who_waits_is_asleep_whatever_became_of_the_main_thread(main_thread: str) -> None:
    """A worker whose main thread has ended looks dead to the system, and could take any time for a reply."""
    ends = {
        "sleeps": "time.sleep(100)",
        "is dead": "ctypes.CDLL(None).syscall(ctypes.c_long(number))",
        "computes": "[None for _ in iter(int, 1)]",
    }
    code = (
        "import ctypes, platform, threading, time\n"
        "number = 60 if platform.machine() == 'x86_64' else 93\n"  # exit(2): of the calling thread only
        "threading.Thread(target=time.sleep, args=[100]).start()\n"
        "print(flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code + ends[main_thread]], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.3)
        seen = is_asleep(process.pid)
        process.kill()
    assert seen == (main_thread != "computes")
