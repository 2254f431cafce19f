"""What the loop expects of the parts that are plugged into it."""

from collections.abc import Mapping
from typing import Protocol

from batching_lab.request import Request, Sequence
from batching_lab.schedule import Schedule


class KVAllocator(Protocol):
    """The KV-cache block allocator (`BlockAllocator` in kv_allocator.py has the full rules)."""

    num_blocks: int
    block_size: int

    @property
    def num_free_blocks(self) -> int: ...

    def blocks_needed(self, request_id: str, num_tokens: int) -> int: ...

    def can_allocate(self, request_id: str, num_tokens: int) -> bool: ...

    def allocate(self, request_id: str, num_tokens: int) -> list[int]: ...

    def block_table(self, request_id: str) -> list[int]: ...

    def free(self, request_id: str) -> None: ...


class Scheduler(Protocol):
    """`StaticScheduler` and `ContinuousScheduler` in scheduler.py have the full rules."""

    def add_request(self, request: Request) -> None: ...

    def abort(self, request_id: str) -> None: ...

    def schedule(self) -> Schedule: ...

    def update(self, sampled: Mapping[str, int]) -> list[str]: ...

    def has_unfinished(self) -> bool: ...


class Executor(Protocol):
    """Computes the scheduled tokens: made up (`SimulatedExecutor`) or by a model."""

    def execute(
        self, schedule: Schedule, sequences: Mapping[str, Sequence], block_tables: Mapping[str, list[int]]
    ) -> dict[str, int]:
        """Run one tick and return one sampled token for each sequence whose known tokens are then all computed.

        sequences     request id -> its state before the tick (c and the outputs so far), for reading only
        block_tables  request id -> its KV blocks in token order; empty when there is no allocator
        """
