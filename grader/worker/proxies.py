"""A scheduler and an allocator that live in a worker, as the serving loop sees them."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, cast

from batching_lab.config import SCHEDULER_CLASSES, SchedulerConfig
from batching_lab.harness import Harness, Policy, Workload
from batching_lab.interfaces import Executor, KVAllocator, Scheduler
from batching_lab.request import Job, Request
from batching_lab.schedule import Schedule
from batching_lab.submission.loading import Submission
from batching_lab.trace import Trace
from grader.worker.client import NO_REPLY, Worker
from grader.worker.faults import ProtocolFault, SubmissionFault

BLOCK_POOL = Path(__file__).with_name("block_pool.py")
MOST_ANSWERS = 1000
MOST_AHEAD = 100  # so many calls go along at most
MOST_WRONG_BLOCKS = 1000  # so many more than there are a faulty allocator may hand out; the loop says which

Call = tuple[str, Any]  # of a scheduler's method, with its argument


class RemoteAllocator:
    """Asks the worker; once a scheduler uses it, answers from what the scheduler's replies report."""

    def __init__(self, worker: Worker, number: int, num_blocks: int, block_size: int) -> None:
        self.worker = worker
        self.number = number
        self.is_attached = False
        self._num_blocks = num_blocks  # as they were asked for, whatever the submission says
        self._block_size = block_size
        self._num_free_blocks = num_blocks
        self._tables: dict[str, list[int]] = {}
        self._num_held = 0  # in all tables
        self.request_ids: set[str] = set()  # of the scheduler that it serves

    @property
    def num_blocks(self) -> int:
        return self._num_blocks if self.is_attached else want_int(self._ask("num_blocks"))

    @property
    def block_size(self) -> int:
        return self._block_size if self.is_attached else want_int(self._ask("block_size"))

    @property
    def num_free_blocks(self) -> int:
        return self._num_free_blocks if self.is_attached else want_int(self._ask("num_free_blocks"))

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        return want_int(self._ask("blocks_needed", request_id, num_tokens))

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        value = self._ask("can_allocate", request_id, num_tokens)
        if type(value) is not bool:
            raise ProtocolFault(NO_REPLY)
        return value

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        return want_ints(self._ask("allocate", request_id, num_tokens))

    def block_table(self, request_id: str) -> list[int]:
        if self.is_attached:
            return self._tables.get(request_id, [])
        return want_ints(self._ask("block_table", request_id))

    def free(self, request_id: str) -> None:
        self._ask("free", request_id)

    def take_report(self, tables: object, num_free_blocks: object) -> None:
        """Bring the tables up to date: request id -> [blocks kept, blocks added]."""
        if type(tables) is not dict:
            raise ProtocolFault(NO_REPLY)
        for request_id, change in tables.items():
            if request_id not in self.request_ids:
                continue  # what it holds shows as a block that is lost
            if type(change) is not list or len(change) != 2:
                raise ProtocolFault(NO_REPLY)
            known = self._tables.get(request_id, [])
            kept, added = want_int(change[0]), want_ints(change[1])
            self._num_held += kept + len(added) - len(known)
            if not 0 <= kept <= len(known) or self._num_held > self._num_blocks + MOST_WRONG_BLOCKS:
                raise ProtocolFault(NO_REPLY)
            self._tables[request_id] = known[:kept] + added
        self._num_free_blocks = want_int(num_free_blocks)

    def _ask(self, call: str, *arguments: Any) -> Any:
        return self.worker.call(call, allocator=self.number, arguments=arguments)


class RemoteScheduler:
    """A `Scheduler` in the worker. Its faults carry the tick in which they happened.

    jobs  what the serving loop is going to serve with it: the calls that it makes from an update to the next decision
          are then one message. None: every call is one
    """

    def __init__(
        self, worker: Worker, number: int, allocator: RemoteAllocator | None, jobs: Iterable[Job] | None = None
    ) -> None:
        self.worker = worker
        self.number = number
        self.allocator = allocator
        self.num_ticks = 0
        self._boundaries = None if jobs is None else calls_at_boundaries(jobs)
        self._ahead: deque[Call] = deque()  # calls that went along with one before
        self._has_unfinished: bool | None = None
        self._was_refused = False  # the last call: the next may be, too, and what goes along would go along again

    def add_request(self, request: Request) -> None:
        if self.allocator is not None:
            self.allocator.request_ids.add(request.request_id)
        self._ask("add_request", vars(request))

    def abort(self, request_id: str) -> None:
        self._ask("abort", request_id)

    def schedule(self) -> Schedule:
        reply = self._ask("schedule", None)
        scheduled: dict[str, int] = {}
        for pair in want_list(reply.get("scheduled")):
            if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str or pair[0] in scheduled:
                raise ProtocolFault(NO_REPLY)
            scheduled[pair[0]] = want_int(pair[1])
        return Schedule(scheduled, tuple(want_strings(reply.get("preempted"))))

    def update(self, sampled: Mapping[str, int]) -> list[str]:
        return want_strings(self._ask("update", dict(sampled)).get("finished"))

    def has_unfinished(self) -> bool:
        """Every reply carries it: the answer is that of the last call."""
        if self._has_unfinished is None:
            self._ask("has_unfinished", None)
        assert self._has_unfinished is not None
        return self._has_unfinished

    def _ask(self, call: str, argument: Any) -> dict[str, Any]:
        if call == "schedule":
            self.num_ticks += 1
        try:
            reply = self._value(call, argument)
        except SubmissionFault as fault:
            self._ahead.clear()  # the worker makes no further call after an error
            self._was_refused = call == "add_request"
            fault.tick = self.num_ticks if call in ("schedule", "update") else self.num_ticks + 1
            raise
        if type(reply) is not dict or type(reply.get("has_unfinished")) is not bool:
            raise ProtocolFault(NO_REPLY)
        self._has_unfinished = reply["has_unfinished"]
        self._was_refused = False
        if self.allocator is not None:
            self.allocator.take_report(reply.get("tables"), reply.get("free"))
        return reply

    def _value(self, call: str, argument: Any) -> Any:
        if self._ahead:
            if self._ahead.popleft() != (call, argument):
                raise RuntimeError(f"the serving loop called {call} where another call was foreseen")
            value = self.worker.next_value()
            if value is not None:
                return value
            self._ahead.clear()
        following = self._following(call, argument)
        self._ahead.extend(following)
        return self.worker.call(call, scheduler=self.number, argument=argument, then=following)

    def _following(self, call: str, argument: Any) -> list[Call]:
        """What the serving loop calls after this, as far as it is sure: up to the next decision at most."""
        if self._boundaries is None or self._was_refused or call in ("schedule", "has_unfinished"):
            return []
        boundary = self._boundaries[self.num_ticks]
        first = 0 if call == "update" else boundary.index((call, argument)) + 1
        return [*boundary[first:], ("schedule", None)][:MOST_AHEAD]


def calls_at_boundaries(jobs: Iterable[Job]) -> dict[int, list[Call]]:
    """Number of ticks -> what the serving loop calls after them, in its order; see `batching_lab.loop.serve`."""
    calls: defaultdict[int, list[Call]] = defaultdict(list)
    for job in jobs:
        calls[job.arrival].append(("add_request", vars(job.request)))
    for job in jobs:
        if job.abort_at is not None:
            calls[job.abort_at].append(("abort", job.request.request_id))
    return calls


class WorkerHarness(Harness):
    """A `Harness` whose objects live in a worker.

    own_allocator  True: the submission's `BlockAllocator`; False: the grader's `BlockPool`
    """

    def __init__(self, submission: Submission, worker: Worker, own_allocator: bool) -> None:
        super().__init__(submission)
        self.worker = worker
        self.own_allocator = own_allocator
        self.jobs: list[Job] | None = None  # of the run that the serving loop makes
        self.num_allocators = 0
        self.num_schedulers = 0

    def answers(self) -> dict[str, Any]:
        """Read in the worker, too: a parser is no place to meet a hostile file. None stands for what is no answer."""
        answers = self.worker.call("answers")
        if type(answers) is not dict or len(answers) > MOST_ANSWERS:
            raise ProtocolFault(NO_REPLY)
        for value in answers.values():
            if type(value) is not int and value not in ("?", None):
                raise ProtocolFault(NO_REPLY)
        return answers

    def serve(
        self, workload: Workload, executor: Executor | None = None, checks: Literal["raise", "record"] = "raise"
    ) -> Trace:
        """As in the base class, but what can't be imported is told before the worker has seen an input."""
        self._load_scheduler(workload.policy)
        self.jobs = workload.jobs
        try:
            return super().serve(workload, executor, checks)
        finally:
            self.jobs = None

    def _load_scheduler(self, policy: Policy) -> None:
        self.worker.load(SCHEDULER_CLASSES[policy])

    def allocator(self, num_blocks: int, block_size: int) -> KVAllocator:
        """A new one in the worker: the submission's own or the grader's."""
        if self.own_allocator:
            self.worker.load("BlockAllocator")
        source = None if self.own_allocator else BLOCK_POOL.read_text(encoding="utf-8")
        self.worker.call("new_allocator", source=source, num_blocks=num_blocks, block_size=block_size)
        self.num_allocators += 1
        return cast(KVAllocator, RemoteAllocator(self.worker, self.num_allocators - 1, num_blocks, block_size))

    def scheduler(self, policy: Policy, config: SchedulerConfig, allocator: KVAllocator | None = None) -> Scheduler:
        """A new one in the worker. From now on its replies report what its allocator holds."""
        remote = cast(RemoteAllocator | None, allocator)
        self._load_scheduler(policy)
        number = None if remote is None else remote.number
        self.worker.call("new_scheduler", policy=policy, config=vars(config), allocator=number)
        if remote is not None:
            remote.is_attached = True
        self.num_schedulers += 1
        return RemoteScheduler(self.worker, self.num_schedulers - 1, remote, self.jobs)


def want_int(value: object) -> int:
    """Exactly an int: no bool, no float."""
    if type(value) is not int:
        raise ProtocolFault(NO_REPLY)
    return value


def want_list(value: object) -> list[Any]:
    """Raises `ProtocolFault` for anything else."""
    if type(value) is not list:
        raise ProtocolFault(NO_REPLY)
    return value


def want_ints(value: object) -> list[int]:
    """Raises `ProtocolFault` for anything else."""
    return [want_int(item) for item in want_list(value)]


def want_strings(value: object) -> list[str]:
    """Raises `ProtocolFault` for anything else."""
    if not all(type(item) is str for item in want_list(value)):
        raise ProtocolFault(NO_REPLY)
    return want_list(value)
