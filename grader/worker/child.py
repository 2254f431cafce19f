"""The worker process: loads a submission and answers calls, one JSON object a line.

It is copied beside `batching_lab` into a folder of its own and started there, so that nothing of the
grader is on its path. Nothing that it says is believed: the other side checks every reply.

    -> {"id": "5f..", "call": "update", "scheduler": 0, "argument": {...}, "then": [["abort", "B"], ["schedule", null]]}
    <- {"id": "5f..", "value": {...}} or {"id": "5f..", "error": {"kind": "exception", ...}}

"then" names calls of the same scheduler that go along: each has a reply of its own. Its value is null where the call
was not made: after an error, and a decision where nothing is unfinished.
"""

import base64
import contextlib
import gc
import json
import marshal
import os
import random
import socket
import sys
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING, Any

from batching_lab.checks import update_type_fault
from batching_lab.config import SCHEDULER_CLASSES, Policy, SchedulerConfig
from batching_lab.errors import OutOfBlocks, RequestTooLong, SubmissionError
from batching_lab.request import Request
from batching_lab.schedule import Schedule
from batching_lab.submission.loading import CLASS_FILES, Submission, imported_names

if TYPE_CHECKING or sys.platform.startswith("linux"):
    from lockdown import Lockdown, die_with_parent, probe
    from reach import library_folders, out_of_reach

encode = json.JSONEncoder(check_circular=False).encode  # json.dumps and json.loads make their parts anew each time
decode = json.JSONDecoder().decode
CONTRACT_ERRORS = (RequestTooLong, OutOfBlocks, ValueError, KeyError)


class BadReturn(Exception):
    """A method of the submission returned a value of another type than the contract says."""

    def __init__(self, value: object, method: str) -> None:
        super().__init__(type(value).__name__, method)
        self.returned = type(value).__name__
        self.method = method


class AttachedAllocator:
    """An allocator that a scheduler uses: reports which block tables have changed since the last report."""

    def __init__(self, allocator: Any) -> None:
        self.allocator = allocator
        self.reported: dict[str, list[int]] = {}

    def changes(self, request_ids: set[str]) -> dict[str, Any]:
        """For the given requests and those that held blocks: id -> [blocks kept, blocks added], and the free count."""
        tables = {}
        for request_id in [*self.reported, *sorted(request_ids - self.reported.keys())]:
            before = self.reported.get(request_id, [])
            table = self.allocator.block_table(request_id)
            if type(table) is not list:
                raise BadReturn(table, "block_table")
            if table == before:
                continue
            kept = 0
            while kept < min(len(before), len(table)) and before[kept] == table[kept]:
                kept += 1
            tables[request_id] = [kept, block_ids(table[kept:], "block_table")]
            self.reported[request_id] = list(table)
            if not table:
                del self.reported[request_id]
        return {"tables": tables, "free": exact_int(self.allocator.num_free_blocks, "num_free_blocks")}


class Answerer:
    """Makes the submission's objects and calls them, as the trusted side asks."""

    def __init__(self, folder: Path, imports: dict[str, list[str]]) -> None:
        """imports: see `Submission`"""
        self.submission = Submission(folder, imports)
        self.allocators: list[Any] = []
        self.schedulers: list[Any] = []
        self.attached: list[AttachedAllocator | None] = []

    def replies(self, message: dict[str, Any]) -> Iterator[str]:
        """A line for the call and for each that goes along with it, as soon as it has returned."""
        reply, value = self.reply(message)
        yield reply
        for call, argument in message.get("then", ()):
            if value is None or (call == "schedule" and not value["has_unfinished"]):
                reply, value = encode({"id": message["id"], "value": None}), None
            else:
                reply, value = self.reply(message | {"call": call, "argument": argument})
            yield reply

    def reply(self, message: dict[str, Any]) -> tuple[str, Any]:
        """What goes back for one call, and its value; None after an error."""
        try:
            value = self.answer(message)
            return encode({"id": message["id"], "value": value}), value
        except BaseException as error:  # sys.exit() and KeyboardInterrupt are no way out of a call either
            return encode({"id": message["id"], "error": error_reply(error, self.submission.folder)}), None

    def answer(self, message: dict[str, Any]) -> Any:
        """The value that goes back for one message. Raises whatever the submission raises."""
        call = message["call"]
        if call == "probe":
            return probe(message["targets"])
        if call == "reach":
            return out_of_reach(library_folders(sys.path[1:]))  # the first is our own
        if call == "compile":
            return compiled(self.submission.folder)
        if call == "load":
            self.submission.get_class(message["class_name"])
        elif call == "answers":
            return {name: plain_answer(value) for name, value in self.submission.answers().items()}
        elif call == "new_allocator":
            self.new_allocator(message["source"], message["num_blocks"], message["block_size"])
        elif call == "new_scheduler":
            self.new_scheduler(message["policy"], message["config"], message["allocator"])
        elif "scheduler" in message:
            return self.call_scheduler(call, message["scheduler"], message["argument"])
        else:
            return self.call_allocator(call, self.allocators[message["allocator"]], message["arguments"])
        return None

    def new_allocator(self, source: str | None, num_blocks: int, block_size: int) -> None:
        """The submission's own, or one whose source comes with the call: a test of Part 2 has none to copy from."""
        random.seed(0)
        if source is None:
            cls = self.submission.get_class("BlockAllocator")
        else:
            namespace: dict[str, Any] = {"__name__": "block_pool"}
            exec(source, namespace)
            cls = namespace["BlockPool"]
        self.allocators.append(cls(num_blocks, block_size))

    def new_scheduler(self, policy: Policy, config: dict[str, Any], allocator: int | None) -> None:
        """allocator: the number of one made before, or None"""
        random.seed(0)
        cls = self.submission.get_class(SCHEDULER_CLASSES[policy])
        self.schedulers.append(
            cls(SchedulerConfig(**config), None if allocator is None else self.allocators[allocator])
        )
        self.attached.append(None if allocator is None else AttachedAllocator(self.allocators[allocator]))

    def call_scheduler(self, call: str, number: int, argument: Any) -> dict[str, Any]:
        """The method's value as JSON, whether anybody is unfinished, and what has changed in the block tables."""
        scheduler, attached = self.schedulers[number], self.attached[number]
        reply: dict[str, Any] = {}
        request_ids: set[str] = set()
        if call == "add_request":
            prompt = tuple(argument["prompt_token_ids"])
            scheduler.add_request(
                Request(argument["request_id"], prompt, argument["max_tokens"], argument["eos_token_id"])
            )
        elif call == "abort":
            scheduler.abort(argument)
        elif call == "schedule":
            schedule = scheduler.schedule()
            check_schedule(schedule)
            reply["scheduled"] = list(schedule.num_scheduled_tokens.items())
            reply["preempted"] = schedule.preempted
            request_ids = {*schedule.num_scheduled_tokens, *schedule.preempted}
        elif call == "update":
            finished = scheduler.update(argument)
            if update_type_fault(finished):
                raise BadReturn(finished, "update")
            reply["finished"] = finished
        has_unfinished = scheduler.has_unfinished()
        if type(has_unfinished) is not bool:
            raise BadReturn(has_unfinished, "has_unfinished")
        reply["has_unfinished"] = has_unfinished
        if attached is not None:
            reply.update(attached.changes(request_ids))
        return reply

    def call_allocator(self, call: str, allocator: Any, arguments: list[Any]) -> Any:
        """The method's value. Raises `BadReturn` if it has another type than it should."""
        if call in ("num_free_blocks", "num_blocks", "block_size"):
            return exact_int(getattr(allocator, call), call)
        value = getattr(allocator, call)(*arguments)
        if call == "blocks_needed":
            return exact_int(value, call)
        if call in ("allocate", "block_table"):
            if type(value) is not list:
                raise BadReturn(value, call)
            blocks = list(block_ids(value, call))
            if call == "block_table":
                value.clear()  # it is a copy: whoever gets it may do with it what they like
            return blocks
        if call == "can_allocate" and type(value) is not bool:
            raise BadReturn(value, call)
        return value if call == "can_allocate" else None


def compiled(folder: Path) -> dict[str, Any]:
    """What each worker would find out anew: the files' code, and what they import. A faulty file has no entry."""
    code, imports = {}, {}
    for path in folder.glob("*.py"):
        with contextlib.suppress(Exception):
            of_file = SourceFileLoader(path.stem, str(path)).source_to_code(path.read_bytes(), str(path))
            code[path.stem] = base64.b64encode(marshal.dumps(of_file)).decode()
    for name in set(CLASS_FILES.values()):
        with contextlib.suppress(SubmissionError):
            imports[name] = sorted(imported_names(folder, name))
    return {"code": code, "imports": imports}


def check_schedule(schedule: object) -> None:
    """Raise `BadReturn` with the part of a schedule that has another type than it should."""
    if not isinstance(schedule, Schedule):
        raise BadReturn(schedule, "schedule")
    scheduled, preempted = schedule.num_scheduled_tokens, schedule.preempted
    if type(scheduled) is not dict:
        raise BadReturn(scheduled, "Schedule.num_scheduled_tokens")
    for request_id, num_tokens in scheduled.items():
        if type(request_id) is not str:
            raise BadReturn(request_id, "a key of Schedule.num_scheduled_tokens")
        if type(num_tokens) is not int:
            raise BadReturn(num_tokens, "a value of Schedule.num_scheduled_tokens")
    if type(preempted) is not tuple:
        raise BadReturn(preempted, "Schedule.preempted")
    for request_id in preempted:
        if type(request_id) is not str:
            raise BadReturn(request_id, "an id in Schedule.preempted")


def plain_answer(value: object) -> int | str | None:
    """A whole number or "?" as it is; None for anything that is no answer."""
    return value if (type(value) is int and abs(value) < 10**9) or value == "?" else None


def exact_int(value: object, what: str) -> int:
    """The value, if it is an int and no bool. Raises `BadReturn`."""
    if type(value) is not int:
        raise BadReturn(value, what)
    return value


def block_ids(values: list[Any], what: str) -> list[int]:
    """The values, if all are ints. Raises `BadReturn`."""
    for value in values:
        if type(value) is not int:
            raise BadReturn(value, what)
    return values


def error_reply(error: BaseException, folder: Path) -> dict[str, Any]:
    """What went wrong, without the exception's text: it might carry a hidden input to the student."""
    if isinstance(error, SubmissionError):
        return {"kind": "load", "text": str(error)}
    if isinstance(error, BadReturn):
        return {"kind": "bad_return", "returned": error.returned, "method": error.method}
    reply: dict[str, Any] = {"kind": "exception", "type": type(error).__name__}
    if isinstance(error, NotImplementedError):
        reply["kind"] = "not_done"
    names = [contract_error.__name__ for contract_error in CONTRACT_ERRORS if isinstance(error, contract_error)]
    if names:
        reply.update(kind="contract_error", types=names)
    step = error.__traceback__
    while step is not None:
        path = Path(step.tb_frame.f_code.co_filename)
        if path.parent == folder:
            reply.update(file=path.name, line=step.tb_lineno, function=step.tb_frame.f_code.co_name)
        step = step.tb_next
    return reply


def limit_resources(limits: dict[str, int]) -> None:
    """limits: by the names of setrlimit(2); what the system refuses stays as it was"""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, value in limits.items():
        with contextlib.suppress(ValueError, OSError):  # macOS refuses RLIMIT_AS
            resource.setrlimit(getattr(resource, name), (value, value))


def main(lockdown: "Lockdown | None" = None) -> None:
    """Answer calls until the pipe is closed. Standard input and output are kept from the submission."""
    requests = os.fdopen(os.dup(0), "rb")
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)  # what the submission prints goes where the grader reads it, but never parses it
    settings = json.loads(requests.readline())
    limit_resources(settings["resource_limits"])
    random.seed(0)  # before the imports too: a fork starts with another seed
    folder = Path(settings["submission"])
    os.chdir(folder)
    sys.setrecursionlimit(settings["recursion_limit"])
    answerer = Answerer(folder, settings["imports"])
    measures = lockdown.apply(keep={0, 1, 2, requests.fileno(), replies.fileno()}) if lockdown else {}
    replies.write(json.dumps(measures).encode() + b"\n")
    replies.flush()
    for line in requests:
        for reply in answerer.replies(decode(line.decode())):
            with contextlib.suppress(BaseException):  # sys.stdout is the submission's to break
                sys.stdout.flush()
            replies.write(reply.encode() + b"\n")
            replies.flush()


FORK, REAP = b"f", b"r"


def serve_forks(control: int, handover: socket.socket) -> None:
    """The template: for each order on `control` fork a worker or wait for the end of a killed one; see process.py.

    The loop leaves no new object behind, so that every worker starts with the same memory: its objects get
    the same addresses, and a set of them the same order, whatever ran before it.
    """
    for name in ("LD_LIBRARY_PATH", "LD_ORIGIN_PATH"):  # the loader has read them
        os.environ.pop(name, None)
    policy = json.loads(handover.recv(1 << 18))
    lockdown = Lockdown(policy) if policy else None
    template = os.getpid()
    gc.freeze()  # a worker's collector would touch, and so copy, every page that it shares with us
    wanted, pid = bytearray(1), bytearray(4)
    into = [wanted, pid]
    while os.readv(control, into):
        if wanted == REAP:
            with contextlib.suppress(ChildProcessError):  # a worker of the template before this one
                os.waitpid(int.from_bytes(pid, "little"), 0)
            os.write(control, REAP)
        elif os.fork() == 0:
            become_worker(handover, lockdown, template)


def become_worker(handover: socket.socket, lockdown: "Lockdown | None", template: int) -> None:
    """Take over the three descriptors that are meant for this worker, and say who it is."""
    _, descriptors, _, _ = socket.recv_fds(handover, 1, 3)
    handover.send(str(os.getpid()).encode())
    handover.close()
    for target, descriptor in enumerate(descriptors):
        os.dup2(descriptor, target)
        os.close(descriptor)
    os.setsid()
    die_with_parent(template)  # the lockdown asks for it again, as another user
    main(lockdown)
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--template"]:
        serve_forks(0, socket.socket(fileno=int(sys.argv[2])))
    else:
        main()
