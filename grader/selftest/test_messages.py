"""One message a tick: what the serving loop is sure to call goes along, and nobody can tell from the outcome."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from batching_lab import SchedulerConfig
from batching_lab.checks import ViolationInRun
from batching_lab.harness import Harness
from batching_lab.reports.run_json import trace_json
from grader.proving.helpers import SHORT, linux_only, make_submission, wait_for
from grader.worker import client
from grader.worker import proxies as proxies_module
from grader.worker.channel import Deadline
from grader.worker.client import Worker
from grader.worker.faults import NotDone, ProtocolFault, SubmissionFault, WorkerTimeout
from grader.worker.proxies import WorkerHarness

StartWorker = Callable[..., WorkerHarness]

RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "all at once": ("A=4,B=1,C=1", {}),
    "arrivals and idle ticks": ("A=2,B=1@1,C=3@7,D=1@7", {}),
    "nobody at first": ("A=2+1@3,B=1@5", {"max_num_seqs": 1}),
    "refusals": ("A=40+1,B=2+2,C=40+1@1,D=1+1@1,E=40+1@1,F=40+1@9", {"num_blocks": 4, "block_size": 4}),
    "all refused": ("A=40+1,B=40+2", {"num_blocks": 4, "block_size": 4}),
    "aborts": ("A=3+9~2,B=3+2,C=1+1@1~1,D=2+4@1~3,E=2+2@6~8,F=1+1~9", {"num_blocks": 6, "block_size": 2}),
    "preemptions": ("A=6+6,B=6+6,C=3+2@2", {"num_blocks": 4, "block_size": 4, "kv_policy": "max_utilization"}),
}

# Beside the solution: it prints every call, and what comes of it is up to the test.
TELLING = """
import solution
class ContinuousScheduler(solution.ContinuousScheduler):
    def add_request(self, request):
        print("add_request", request.request_id)
        super().add_request(request)
    def abort(self, request_id):
        print("abort", request_id)
        super().abort(request_id)
    def schedule(self):
        print("schedule")
        {schedule}
        return super().schedule()
    def update(self, sampled):
        print("update", *sampled)
        {update}
        return super().update(sampled)
"""


def telling(solution: str, schedule: str = "pass", update: str = "pass") -> dict[str, str]:
    return {"scheduler.py": TELLING.format(schedule=schedule, update=update), "solution.py": solution}


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The text of its scheduler.py."""
    folder = make_submission(tmp_path_factory.mktemp("solution") / "of")
    return (folder / "scheduler.py").read_text(encoding="utf-8")


def run(lab: Harness, name: str) -> Any:
    jobs, limits = RUNS[name]
    return lab.run("continuous", jobs, **{"max_num_seqs": 2, **limits})


def calls_of(lab: WorkerHarness) -> list[str]:
    """What a telling scheduler has printed."""
    return lab.worker.channel.log().decode().splitlines()


@pytest.mark.parametrize("most_ahead", [0, 1, 2, 100])
def test_a_run_is_the_same_as_in_process(
    start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch, most_ahead: int
) -> None:
    """However many calls go along, and twice in the same worker."""
    monkeypatch.setattr(proxies_module, "MOST_AHEAD", most_ahead)
    lab = start_worker({}, own_allocator=True)
    for name in RUNS:
        expected = trace_json(run(Harness(lab.submission), name))
        assert [trace_json(run(lab, name)) for _ in range(2)] == [expected, expected], name


@pytest.mark.parametrize("name", RUNS)
def test_the_submission_is_called_as_in_process(
    start_worker: StartWorker, capfd: pytest.CaptureFixture[str], solution: str, name: str
) -> None:
    """The same calls in the same order, and not one more: no decision where nothing is left to decide."""
    lab = start_worker(telling(solution), own_allocator=True)
    run(lab, name)
    calls = calls_of(lab)
    run(Harness(lab.submission), name)
    assert calls == capfd.readouterr().out.splitlines()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The messages to workers."""
    messages: list[dict[str, Any]] = []
    send = Worker._send

    def noted(worker: Worker, message: dict[str, Any], deadline: Deadline) -> None:
        messages.append(message)
        send(worker, message, deadline)

    monkeypatch.setattr(Worker, "_send", noted)
    return messages


def test_a_tick_is_one_message(start_worker: StartWorker, sent: list[dict[str, Any]]) -> None:
    """With its arrivals and aborts. The first decision goes along with the first arrival."""
    lab = start_worker({}, own_allocator=True)
    sent.clear()
    trace = lab.run("continuous", "A=3+9~2,B=3+6,C=1+9@1~3,D=2+4@1", max_num_seqs=2, num_blocks=9, block_size=2)
    calls = [message["call"] for message in sent]
    assert calls[:4] == ["load", "load", "new_allocator", "new_scheduler"]
    assert calls[4:] == ["add_request"] + ["update"] * trace.num_ticks


def test_what_would_be_refused_does_not_go_along_again_and_again(
    start_worker: StartWorker, sent: list[dict[str, Any]]
) -> None:
    """After a refusal each arrival is a message, until one is accepted."""
    lab = start_worker({}, own_allocator=True)
    sent.clear()
    jobs = ",".join([f"R{n}=40+1" for n in range(30)] + [f"A{n}=2+1" for n in range(30)])
    trace = lab.run("continuous", jobs, max_num_seqs=30, num_blocks=4, block_size=4)
    assert len(trace.refused) == 30
    assert sum(len(message.get("then", ())) for message in sent) < 2 * 60 + trace.num_ticks


@pytest.mark.parametrize(
    ("update", "fault", "tick"),
    [("1 / 0", SubmissionFault, 1), ("raise NotImplementedError", NotDone, 1), ("return [1]", SubmissionFault, 1)],
)
def test_after_an_error_nothing_more_is_called(
    start_worker: StartWorker, solution: str, update: str, fault: type[SubmissionFault], tick: int
) -> None:
    lab = start_worker(telling(solution, update=update))
    with pytest.raises(fault) as caught:
        run(lab, "all at once")
    assert caught.value.tick == tick
    assert calls_of(lab) == ["add_request A", "add_request B", "add_request C", "schedule", "update A B"]


@pytest.mark.parametrize("schedule", ["while self.running: pass", "while self.running: import os; os._exit(0)"])
def test_what_goes_along_hides_nothing(start_worker: StartWorker, solution: str, schedule: str) -> None:
    """A decision that never comes is not blamed for what the update before it did wrong."""
    lab = start_worker(telling(solution, schedule, update="super().update(sampled); return ['A', 'B']"))
    with pytest.raises(ViolationInRun, match=r"update\(\) named A, which is not finished"):
        run(lab, "all at once")


def test_a_decision_that_does_not_come(start_worker: StartWorker, solution: str) -> None:
    lab = start_worker(telling(solution, "while len(self.running) == 1: pass"))
    with pytest.raises(WorkerTimeout, match=r"schedule\(\) had not returned after 0.5 seconds") as caught:
        lab.run("continuous", "A=4,B=1", max_num_seqs=2)
    assert caught.value.tick == 2


def test_a_stopped_run_does_not_disturb_the_next(start_worker: StartWorker, solution: str) -> None:
    """Replies that nobody asked for any more are passed over."""
    update = "return super().update(sampled) + (['A'] if len(sampled) == 2 else [])"
    lab = start_worker(telling(solution, update=update))
    for _ in range(2):
        with pytest.raises(ViolationInRun, match=r"update\(\) named A"):
            run(lab, "all at once")
    assert lab.run("continuous", "A=4,B=1@4", max_num_seqs=2).num_ticks == 5


def test_a_stopped_run_costs_no_class_that_was_not_tried(start_worker: StartWorker, solution: str) -> None:
    """A decision that went along with a wrong update, and hangs: that is no fault of the next class's file."""
    lab = start_worker(
        telling(solution, "while self.running: pass", update="super().update(sampled); return ['A', 'B']")
    )
    with pytest.raises(ViolationInRun):
        run(lab, "all at once")
    with pytest.raises(WorkerTimeout, match=r"schedule\(\) had not returned"):
        lab.worker.load("BlockAllocator")
    assert lab.worker.sandbox.load_faults == {}


def test_an_import_has_all_its_time_after_a_hang_elsewhere(
    start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch, solution: str
) -> None:
    """Whatever the worker has seen before: an import that is cut short would count for all tests that follow."""
    monkeypatch.setattr(client, "CONSTRUCTOR_SECONDS_AFTER_A_HANG", 0.1)
    waits = "import time\nwhile time.process_time() < 0.5: pass\n"
    lab = start_worker({"scheduler.py": waits + solution}, own_allocator=True)
    lab.allocator(4, 4)
    lab.worker.budget.has_hung = True
    lab.scheduler("continuous", SchedulerConfig(1))


@linux_only
def test_a_worker_that_was_made_ahead_and_is_killed(start_worker: StartWorker) -> None:
    """By the system, say, when memory is short. Another takes its place, and it is waited for in its turn."""
    worker = start_worker({}).worker
    assert worker.sandbox.template is not None
    template = worker.sandbox.template.popen.pid
    children = Path(f"/proc/{template}/task/{template}/children")
    if not children.exists():
        pytest.skip("this system does not list the children of a process")

    def ahead() -> list[int]:
        pids = {*map(int, children.read_text(encoding="utf-8").split())} - {worker.process.pid}
        return [pid for pid in pids if os.getsid(pid) == pid]  # it has said who it is, and waits

    assert wait_for(lambda: len(ahead()) == 1, 10)
    os.kill(ahead()[0], signal.SIGKILL)
    for _ in range(2):
        another = Worker(worker.sandbox, SHORT)
        assert another.call("answers")
        another.close()
    assert worker.call("answers")


FIND_CHANNEL = """
import gc, io, json, sys
def forge(change):
    frame = sys._getframe()
    while "message" not in frame.f_locals:
        frame = frame.f_back
    line = json.dumps({"id": frame.f_locals["message"]["id"], "value": change}).encode() + bytes([10])
    for thing in gc.get_objects():
        if isinstance(thing, io.BufferedWriter) and thing.fileno() > 2:
            thing.write(line)
            thing.flush()
"""
DECISION = '{"scheduled": [["A", 1]], "preempted": [], "has_unfinished": True}'
FINISHED = '{"finished": [], "has_unfinished": True}'


@pytest.mark.parametrize(
    ("schedule", "update"),
    [
        ("pass", f"forge({FINISHED})"),  # an answer twice
        ("pass", f"forge({FINISHED}); forge({DECISION})"),  # and one for what goes along
        (f"forge({DECISION})", "pass"),
        ("pass", "forge(None)"),
        ("forge(None)", "pass"),
    ],
)
def test_an_answer_too_many_ends_the_worker(
    start_worker: StartWorker, solution: str, schedule: str, update: str
) -> None:
    """With the right id, which the process knows when it is asked: what was not asked for is in the way of the next."""
    files = telling(solution, schedule, update)
    files["scheduler.py"] = FIND_CHANNEL + files["scheduler.py"]
    lab = start_worker(files)
    with pytest.raises((ProtocolFault, ViolationInRun)):
        lab.run("continuous", "A=4", max_num_seqs=1)


def test_what_a_worker_has_compiled_serves_all(start_worker: StartWorker, solution: str) -> None:
    """No other worker parses a file again. A file with a fault is left to each: it says so as it always has."""
    update = "import scheduler, os; print(os.path.exists(scheduler.__cached__))"
    lab = start_worker({**telling(solution, update=update), "broken.py": "def", "kv_allocator.py": "import numpy"})
    assert lab.worker.sandbox.imports == {"scheduler.py": ["scheduler", "solution"]}
    with pytest.raises(SubmissionFault, match=r"kv_allocator\.py imports numpy: a submission may import"):
        lab.worker.load("BlockAllocator")
    run(lab, "all at once")
    assert calls_of(lab)[5] == "True"
    compiled = {path.name.partition(".")[0] for path in (lab.worker.sandbox.submission / "__pycache__").iterdir()}
    assert compiled == {"kv_allocator", "scheduler", "solution"}
