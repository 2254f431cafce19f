"""The trusted side of a worker: starts it, asks, checks each reply, and kills it."""

import builtins
import json
import secrets
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from batching_lab.config import SCHEDULER_CLASSES
from batching_lab.submission.loading import CLASS_FILES
from grader.worker.channel import Deadline, cpu_seconds, open_channel
from grader.worker.faults import (
    CONTRACT_ERRORS,
    CannotLoad,
    NotDone,
    OutOfTime,
    ProtocolFault,
    SubmissionFault,
    WorkerDied,
    WorkerTimeout,
)
from grader.worker.isolation import Isolation
from grader.worker.process import Template, spawn
from grader.worker.text import clean_text

WANTED = {
    "schedule": "a Schedule",
    "Schedule.num_scheduled_tokens": "a dict",
    "a key of Schedule.num_scheduled_tokens": "a str",
    "a value of Schedule.num_scheduled_tokens": "an int",
    "Schedule.preempted": "a tuple",
    "an id in Schedule.preempted": "a str",
    "update": "a list of str",
    "has_unfinished": "a bool",
    "num_blocks": "an int",
    "block_size": "an int",
    "num_free_blocks": "an int",
    "blocks_needed": "an int",
    "can_allocate": "a bool",
    "allocate": "a list of int",
    "block_table": "a list of int",
}
METHODS = {name for name in WANTED if "." not in name}
LONG_CALLS = {"load", "compile", "answers", "new_allocator", "new_scheduler"}
MOST_LINES = 3000
SECONDS_AFTER_A_HANG = 0.2  # a right call takes a hundredth of it
CONSTRUCTOR_SECONDS_AFTER_A_HANG = 1.0
SHUT_OFF_ERRORS = ("PermissionError", "OSError", "FileNotFoundError")
SHUT_OFF = "in grading a submission can compute and print, but not write, nor reach files, processes or connections"
NO_REPLY = "The submission's process sent something that is no reply to what it was asked."


@dataclass(frozen=True)
class Limits:
    """What a worker may use."""

    load_seconds: float = 5.0
    call_seconds: float = 2.0
    memory_bytes: int = 1 << 30
    recursion_limit: int = 10_000  # a call for each of a thousand requests is a matter of style
    part_seconds: float | None = None  # None: the rubric's

    def of_resources(self) -> dict[str, int]:
        """By the names of setrlimit(2). The processor's is a backstop: deadlines and budgets end a worker before."""
        return {
            "RLIMIT_AS": self.memory_bytes,
            "RLIMIT_CPU": 120,
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": 0,
            "RLIMIT_NOFILE": 64,
        }


DEFAULT_LIMITS = Limits()


class TimeBudget:
    """What the workers of one part may use of their own time in all; see `Deadline`.

    has_hung  a call has not returned: the calls after it get little time, so that the part's last tests are run, too
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.seconds_left = seconds
        self.has_hung = False


@dataclass(frozen=True)
class Sandbox:
    """One grading run's folders, the submission's copy and what its workers need of the lab, and their template."""

    submission: Path
    lab_files: Path
    isolation: Isolation
    template: Template | None = None
    line_counts: dict[str, int] = field(default_factory=dict)  # of the submission's files, as they were copied
    imports: dict[str, Any] = field(default_factory=dict)  # what a worker has found out: for the others, see child.py
    measures: dict[str, bool] | None = None  # what each worker must report to have applied; None: anything
    load_faults: dict[str, SubmissionFault] = field(default_factory=dict)


class Worker:
    """One child process. After a fault of the process it is dead, and each further call says so.

    Raises `RuntimeError` if it does not start: no code of a submission has run then.
    """

    def __init__(self, sandbox: Sandbox, limits: Limits, budget: TimeBudget | None = None) -> None:
        self.sandbox = sandbox
        self.limits = limits
        self.budget = budget or TimeBudget(limits.part_seconds or 30.0)
        self.has_seen_inputs = False
        self.loaded: set[str] = set()
        self.said = ""  # the last line that a worker printed which did not start
        self.message_id = ""
        self.unread: deque[str] = deque()  # calls that went along with another; see `call`
        self.cpu_charged: float | None = None  # the process's time when the last reply was read
        try:
            self.measures = self._start()
        except SubmissionFault:  # made ahead, it may have been killed since then: another one
            self.measures = self._start_again()

    def _start(self) -> Any:
        """Start the process and have it shut off; returns what it says to have applied."""
        self.process = self.sandbox.template.fork() if self.sandbox.template else spawn(self.sandbox.lab_files)
        self.channel = open_channel(self.process)
        self.is_closed = False
        settings = {
            "submission": str(self.sandbox.submission),
            "resource_limits": self.limits.of_resources(),
            "recursion_limit": self.limits.recursion_limit,
            "imports": self.sandbox.imports,
        }
        deadline = Deadline(self.process.pid, self.limits.load_seconds)
        try:
            self._send(settings, deadline)
            measures = json.loads(self.channel.read_line(deadline))  # no code of a submission has run yet
            if self.sandbox.measures not in (None, measures):
                raise WorkerDied()
        except SubmissionFault:
            self.said = clean_text(self.channel.log().decode(errors="replace").strip().rpartition("\n")[2], 300)
            self.close()
            raise
        return measures

    def _start_again(self) -> Any:
        try:
            return self._start()
        except SubmissionFault as fault:
            raise RuntimeError(f"a worker did not start: {self.said}") from fault

    def load(self, class_name: str) -> None:
        """Import the file of a class. Apart from the other calls, so that an import sees no test's inputs.

        What fails once is not tried again for the next test: it would fail, or hang, in the same way.
        """
        if class_name in self.sandbox.load_faults:
            fault = self.sandbox.load_faults[class_name]
            raise type(fault)(*fault.args)
        if class_name not in self.loaded:
            self._check_usable(f"the import of {CLASS_FILES[class_name]}")  # no fault of the file's: not to be kept
            self._pass_over()
            try:
                self.call("load", class_name=class_name)
            except OutOfTime:
                raise  # no fault of the file's: not to be kept
            except SubmissionFault as fault:
                self.sandbox.load_faults[class_name] = fault
                raise
            self.loaded.add(class_name)

    def call(self, call: str, *, then: Sequence[tuple[str, Any]] = (), **arguments: Any) -> Any:
        """Ask, and return the value of the reply. Raises a `SubmissionFault` or a contract error.

        then  calls of the same scheduler that are sure to follow, each with its argument. They go along, and the worker
              makes them one after another, as if each were asked for as soon as the one before is answered;
              `next_value` returns what came of them.
        """
        where = self._where(call, arguments)
        self._check_usable(where)
        self._pass_over()
        if call not in ("load", "answers"):
            self.has_seen_inputs = True
        self.message_id = secrets.token_hex(8)  # always as long: the worker's memory looks the same in every run
        message = {"id": self.message_id, "call": call, **arguments}
        if then:
            message["then"] = then
        reply = self._reply(call, where, message)
        self.unread.extend(call for call, _ in then)
        return self._value(reply, where)

    def _pass_over(self) -> None:
        """Read what nobody has asked for, of a run that was stopped."""
        while self.unread:
            call = self.unread.popleft()
            self._reply(call, f"{call}()")

    def next_value(self) -> Any:
        """Of the first call that went along and has not been asked for yet; None: it was not made, see child.py."""
        call = self.unread.popleft()
        where = f"{call}()"
        self._check_usable(where)
        return self._value(self._reply(call, where), where)

    def _reply(self, call: str, where: str, message: dict[str, Any] | None = None) -> dict[str, Any]:
        """To this message, or the next one to the last. After a fault of the process it is dead."""
        try:
            line = None if message else self.channel.take_line()
            if line is None:
                line = self._exchange(call, where, message)
            else:
                self._charge(cpu_seconds(self.process.pid))
            return parse_reply(line, self.message_id)
        except ProtocolFault:
            self.close()
            raise

    def _exchange(self, call: str, where: str, message: dict[str, Any] | None) -> bytes:
        """Send the message, if there is one, and wait for a line, as long as the call may take."""
        is_long = call in LONG_CALLS
        seconds = self.limits.load_seconds if is_long else self.limits.call_seconds
        if self.budget.has_hung and call not in ("load", "answers"):
            seconds = min(seconds, CONSTRUCTOR_SECONDS_AFTER_A_HANG if is_long else SECONDS_AFTER_A_HANG)
        cpu_charged = None if message else self.cpu_charged  # it has been at work on this call since then
        deadline = Deadline(self.process.pid, min(seconds, self.budget.seconds_left), cpu_charged)
        try:
            if message:
                self._send(message, deadline)
            return self.channel.read_line(deadline)
        except WorkerTimeout:
            self.close()
            if deadline.seconds < seconds:
                raise OutOfTime(self.budget.seconds) from None
            self.budget.has_hung = True
            raise WorkerTimeout(f"{where} had not returned after {seconds:g} seconds: an endless loop?") from None
        except WorkerDied:
            self.close()
            raise WorkerDied(f"The submission's process ended during {where}.") from None
        finally:
            self.budget.seconds_left -= deadline.spent()
            self.cpu_charged = deadline.cpu_charged

    def _charge(self, cpu: float | None) -> None:
        """What the process has computed since the last reply, for one that came before it was waited for."""
        if cpu is not None and self.cpu_charged is not None:
            self.budget.seconds_left -= cpu - self.cpu_charged
            self.cpu_charged = cpu

    def _value(self, reply: dict[str, Any], where: str) -> Any:
        if "error" in reply:
            raise fault_from(reply["error"], where, self.sandbox.line_counts, self.has_seen_inputs)
        return reply["value"]

    def close(self) -> None:
        """Kill the worker and everything that it started in its session."""
        if not self.is_closed:
            self.is_closed = True
            self.process.kill()
            self.channel.close()

    def _check_usable(self, where: str) -> None:
        if self.is_closed:
            raise WorkerDied(f"{where} can't be called: the submission's process has ended.")
        if self.budget.seconds_left <= 0:
            raise OutOfTime(self.budget.seconds)

    def _send(self, message: dict[str, Any], deadline: Deadline) -> None:
        self.channel.write(encode(message).encode() + b"\n", deadline)

    @staticmethod
    def _where(call: str, arguments: dict[str, Any]) -> str:
        """The call in the student's terms."""
        if call == "load":
            return f"the import of {CLASS_FILES[arguments['class_name']]}"
        if call == "answers":
            return "reading answers.toml"
        if call == "new_allocator":
            return "BlockAllocator()"
        if call == "new_scheduler":
            return f"{SCHEDULER_CLASSES[arguments['policy']]}()"
        return f"{call}()"


def parse_reply(line: bytes, message_id: str) -> dict[str, Any]:
    """The reply, if it is one: an object with the question's id and a value or an error."""
    try:
        reply = decode(line.decode())
    except (ValueError, RecursionError):
        raise ProtocolFault(NO_REPLY) from None
    if type(reply) is not dict or len(reply) != 2 or reply.get("id") != message_id:
        raise ProtocolFault(NO_REPLY)
    if "value" not in reply and type(reply.get("error")) is not dict:
        raise ProtocolFault(NO_REPLY)
    return reply


def reject_constant(name: str) -> None:
    """For `json.loads`. Raises `ValueError`."""
    raise ValueError(f"{name} is not JSON")


encode = json.JSONEncoder(check_circular=False).encode  # json.dumps and json.loads make their parts anew each time
decode = json.JSONDecoder(parse_constant=reject_constant).decode


def fault_from(
    error: dict[str, Any], where: str, line_counts: dict[str, int], has_seen_inputs: bool
) -> SubmissionFault:
    """The exception for an error reply; once the worker has seen a hidden input, no text is passed on as it came."""
    kind = error.get("kind")
    if kind == "load":
        if has_seen_inputs:
            return CannotLoad(f"{where} failed.")
        text = clean_text(error.get("text"), 300)
        why = f": {SHUT_OFF}" if any(f": {name}:" in text for name in SHUT_OFF_ERRORS) else ""
        return CannotLoad(f"{text}{why}.")
    if kind == "bad_return":
        method = error.get("method")
        if type(method) is not str or method not in WANTED:
            return ProtocolFault(NO_REPLY)
        verb = ("returned", "return") if method in METHODS else ("is", "be")
        returned = type_name(error.get("returned"))
        return SubmissionFault(f"{method} {verb[0]} {returned}; it should {verb[1]} {WANTED[method]}.")
    place = place_of(error, line_counts)
    if kind == "not_done":
        return NotDone(f"{where} is not done yet{place}.")
    if kind == "contract_error" and type(error.get("types")) is list:
        raised = [cls for name, cls in CONTRACT_ERRORS.items() if name in error["types"]]
        if raised:
            return contract_fault(raised, f"{where} raised {raised[0].__name__.removeprefix('Raised')}{place}.")
    if kind == "exception":
        name = type_name(error.get("type"))
        why = f": {SHUT_OFF}" if name in SHUT_OFF_ERRORS else ""
        return SubmissionFault(f"{where} raised {name}{place}{why}.")
    return ProtocolFault(NO_REPLY)


def contract_fault(raised: list[type[SubmissionFault]], sentence: str) -> SubmissionFault:
    """One exception that is all that was raised: a student's own class may be a ValueError and a KeyError."""
    special = [cls for cls in raised if not any(issubclass(other, cls) for other in raised if other is not cls)]
    return special[0](sentence) if len(special) == 1 else type("Raised", tuple(special), {})(sentence)


def type_name(name: object) -> str:
    """The name of a built-in type; a name that the submission chose might carry a hidden input."""
    if type(name) is str and isinstance(getattr(builtins, name, None), type):
        return name
    if name == "NoneType":
        return "None"
    return "a type of its own"


def place_of(error: dict[str, Any], line_counts: dict[str, int]) -> str:
    """` (scheduler.py, line 12)` if the submission has such a line, in a file that somebody wrote by hand.

    In a padded file the line could tell the number of a hidden workload.
    """
    name, line = error.get("file"), error.get("line")
    if type(name) is not str or type(line) is not int or not 1 <= line <= line_counts.get(name, 0) <= MOST_LINES:
        return ""
    return f" ({name}, line {line})"
