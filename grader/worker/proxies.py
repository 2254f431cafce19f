"""A scheduler and an allocator that live in a worker, as the serving loop sees them."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from batching_lab.config import SchedulerConfig
from batching_lab.harness import Harness, Policy
from batching_lab.interfaces import KVAllocator, Scheduler
from batching_lab.request import Request
from batching_lab.schedule import Schedule
from batching_lab.submission import Submission
from grader.worker.client import NO_REPLY, Worker
from grader.worker.faults import ProtocolFault, SubmissionFault


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
            if type(change) is not list or len(change) != 2:
                raise ProtocolFault(NO_REPLY)
            known = self._tables.get(request_id, [])
            kept, added = want_int(change[0]), want_ints(change[1])
            if not 0 <= kept <= len(known):
                raise ProtocolFault(NO_REPLY)
            self._tables[request_id] = known[:kept] + added
        self._num_free_blocks = want_int(num_free_blocks)

    def _ask(self, call: str, *arguments: Any) -> Any:
        return self.worker.call(call, allocator=self.number, arguments=arguments)


class RemoteScheduler:
    def __init__(self, worker: Worker, number: int, allocator: RemoteAllocator | None) -> None:
        self.worker = worker
        self.number = number
        self.allocator = allocator
        self.num_ticks = 0
        self._has_unfinished: bool | None = None

    def add_request(self, request: Request) -> None:
        self._ask("add_request", asdict(request))

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
            reply = self.worker.call(call, scheduler=self.number, argument=argument)
        except SubmissionFault as fault:
            fault.tick = self.num_ticks if call in ("schedule", "update") else self.num_ticks + 1
            raise
        if type(reply) is not dict or type(reply.get("has_unfinished")) is not bool:
            raise ProtocolFault(NO_REPLY)
        self._has_unfinished = reply["has_unfinished"]
        if self.allocator is not None:
            self.allocator.take_report(reply.get("tables"), reply.get("free"))
        return reply


class WorkerHarness(Harness):
    """A `Harness` whose objects live in a worker.

    own_allocator  True: the submission's `BlockAllocator`; False: the grader's `BlockPool`
    """

    def __init__(self, submission: Submission, worker: Worker, own_allocator: bool) -> None:
        super().__init__(submission)
        self.worker = worker
        self.own_allocator = own_allocator
        self.num_allocators = 0
        self.num_schedulers = 0

    def allocator(self, num_blocks: int, block_size: int) -> KVAllocator:
        if self.own_allocator:
            self.worker.load("BlockAllocator")
        self.worker.call("new_allocator", own=self.own_allocator, num_blocks=num_blocks, block_size=block_size)
        self.num_allocators += 1
        return RemoteAllocator(self.worker, self.num_allocators - 1, num_blocks, block_size)

    def scheduler(self, policy: Policy, config: SchedulerConfig, allocator: KVAllocator | None = None) -> Scheduler:
        assert allocator is None or isinstance(allocator, RemoteAllocator)
        self.worker.load("StaticScheduler" if policy == "static" else "ContinuousScheduler")
        number = None if allocator is None else allocator.number
        self.worker.call("new_scheduler", policy=policy, config=asdict(config), allocator=number)
        if allocator is not None:
            allocator.is_attached = True
        self.num_schedulers += 1
        return RemoteScheduler(self.worker, self.num_schedulers - 1, allocator)


def want_int(value: object) -> int:
    """Exactly an int: no bool, no float."""
    if type(value) is not int:
        raise ProtocolFault(NO_REPLY)
    return value


def want_list(value: object) -> list[Any]:
    if type(value) is not list:
        raise ProtocolFault(NO_REPLY)
    return value


def want_ints(value: object) -> list[int]:
    return [want_int(item) for item in want_list(value)]


def want_strings(value: object) -> list[str]:
    if not all(type(item) is str for item in want_list(value)):
        raise ProtocolFault(NO_REPLY)
    return want_list(value)
