"""Shadow KV: the exact judge of block tables.

Beside the KV cache lies a pool of integers. Where the cache stores a token's keys and values, the shadow stores
the number of the *token prefix* that ends in this token; keys and values depend on nothing else. Where attention
reads a slot, the shadow must find the number of the reader's own prefix. A wrong block is found even where the
sampled tokens don't show it, and a legally shared prefix is none.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from batching_lab.errors import RuleViolation
from batching_lab.model.run_log import RunLog, Step
from batching_lab.request import Job

NO_BLOCK = "does not exist"
NOTHING = 0  # what a slot holds that was never written, and the prefix of no tokens


@dataclass(frozen=True)
class KVFault:
    """A request read a slot that does not hold its own token.

    position  of the token that should be there; the first such position of the block
    block     where it looked; None if its table has no block for this position
    found     what is there instead, in words
    """

    tick: int
    request_id: str
    position: int
    block: int | None
    found: str

    @property
    def what(self) -> str:
        """What was wrong, in words."""
        if self.block is None:
            return f"{self.request_id} reads its position {self.position}, for which its table has no block"
        return f"{self.request_id} reads its position {self.position} in block {self.block}, which {self.found}"

    @property
    def seen(self) -> str:
        """The same without the number of a block that does not exist: it could be a message from a hidden test."""
        if not self.found.startswith(NO_BLOCK):
            return self.what
        return f"{self.request_id} reads its position {self.position} in a block that does not exist"

    def violation(self) -> RuleViolation:
        """The rule that it breaks."""
        return RuleViolation("kv_content", self.tick, self.what, self.request_id, self.seen)


def find_kv_faults(log: RunLog, jobs: Iterable[Job]) -> list[KVFault]:
    """Replay a run: every wrong block that a request read, each when it was read first."""
    shadow = ShadowKV(log.num_blocks, log.block_size, jobs)
    first: dict[tuple[str, int, int | None], KVFault] = {}
    for steps in log.ticks:
        for fault in shadow.faults_in(steps):
            first.setdefault((fault.request_id, fault.position // log.block_size, fault.block), fault)
    return list(first.values())


class ShadowKV:
    """Follows a run through its steps. One entry a slot, the spill block's at the end:

    prefixes   the number of the prefix that it holds
    writers    the index of the request that wrote it
    positions  the position for which it was written
    ticks      when
    """

    def __init__(self, num_blocks: int, block_size: int, jobs: Iterable[Job]) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.tick = 0
        self.numbers: dict[tuple[int, int], int] = {}  # (number of a prefix, next token) -> number of the longer one
        self.histories = {job.request.request_id: History(self.numbers, index, job) for index, job in enumerate(jobs)}
        self.request_ids = list(self.histories)
        num_slots = (num_blocks + 1) * block_size
        self.prefixes = np.full(num_slots, NOTHING)
        self.writers = np.zeros(num_slots, dtype=np.int64)
        self.positions = np.zeros(num_slots, dtype=np.int64)
        self.ticks = np.zeros(num_slots, dtype=np.int64)

    def check_tick(self, steps: list[Step]) -> None:
        """Account for one executed tick. Raises `RuleViolation` for the first fault."""
        for fault in self.faults_in(steps):
            raise fault.violation()

    def faults_in(self, steps: list[Step]) -> list[KVFault]:
        """Account for one executed tick: all writes, then all reads, as in the model. Returns what was wrong."""
        self.tick += 1
        for step in steps:
            self.write(step)
        faults = [fault for step in steps for fault in self.read(step, steps)]
        for step in steps:
            if step.sampled is not None:
                self.histories[step.request_id].append(step.sampled)
        return faults

    def write(self, step: Step) -> None:
        """Note what a step stores in the slots of the tokens that it computes."""
        history = self.histories[step.request_id]
        positions = np.arange(step.start, step.end)
        slots = self.slots(step, positions)
        self.prefixes[slots] = history.continued(step.start, step.token_ids)
        self.writers[slots] = history.index
        self.positions[slots] = positions
        self.ticks[slots] = self.tick
        self.prefixes[self.num_blocks * self.block_size :] = NOTHING  # the spill block keeps nothing for anybody

    def read(self, step: Step, steps: list[Step]) -> list[KVFault]:
        """What is wrong with the slots that a step reads: at most one fault a block."""
        slots = self.slots(step, np.arange(step.end))
        wrong = np.flatnonzero(self.prefixes[slots] != self.histories[step.request_id].up_to(step.end))
        _, first_of_block = np.unique(wrong // self.block_size, return_index=True)
        return [self.fault(step, position, steps) for position in wrong[first_of_block].tolist()]

    def slots(self, step: Step, positions: np.ndarray) -> np.ndarray:
        """The slots of a step's positions; those of the spill block where it has no block."""
        num_blocks = -(-step.end // self.block_size)
        blocks = np.array((step.block_table + (self.num_blocks,) * num_blocks)[:num_blocks])
        blocks[(blocks < 0) | (blocks > self.num_blocks)] = self.num_blocks
        slots: np.ndarray = blocks[positions // self.block_size] * self.block_size + positions % self.block_size
        return slots

    def fault(self, step: Step, position: int, steps: list[Step]) -> KVFault:
        """Describe what a step finds at a position where its own token should be."""
        table_index = position // self.block_size
        block = step.block_table[table_index] if table_index < len(step.block_table) else None
        return KVFault(self.tick, step.request_id, position, block, self.found(step, position, block, steps))

    def found(self, step: Step, position: int, block: int | None, steps: list[Step]) -> str:
        """What is there instead, in words."""
        if block is None:
            return "has no block in its table"
        if not 0 <= block < self.num_blocks:
            return f"{NO_BLOCK}: the pool has blocks 0 to {self.num_blocks - 1}"
        slot = block * self.block_size + position % self.block_size
        if self.ticks[slot] == 0:
            return "was never written there"
        writer = self.request_ids[self.writers[slot]]
        whose = "its own" if writer == step.request_id else f"{writer}'s"
        text = f"holds {whose} position {self.positions[slot]} from tick {self.ticks[slot]}"
        sharers = [other.request_id for other in steps if other is not step and block in other.block_table]
        return text + (f", and is also in the table of {' and '.join(sharers)}" if sharers else "")


class History:
    """The tokens that a request really knows, as the numbers of all its prefixes.

    prefixes  prefixes[p] is the number of the prefix that ends at position p
    """

    def __init__(self, numbers: dict[tuple[int, int], int], index: int, job: Job) -> None:
        self.numbers = numbers
        self.index = index
        self.prefixes = np.zeros(len(job.request.prompt_token_ids) + job.request.max_tokens, dtype=np.int64)
        self.num_tokens = 0
        for token_id in job.request.prompt_token_ids:
            self.append(token_id)

    def append(self, token_id: int) -> None:
        """It generated a token."""
        self.prefixes[self.num_tokens : self.num_tokens + 1] = self.continued(self.num_tokens, (token_id,))
        self.num_tokens += 1

    def continued(self, start: int, token_ids: tuple[int, ...]) -> list[int]:
        """The numbers of the prefixes that these tokens make behind the first `start` tokens."""
        number = int(self.prefixes[start - 1]) if start else NOTHING
        numbers = []
        for token_id in token_ids:
            number = self.numbers.setdefault((number, token_id), len(self.numbers) + 1)
            numbers.append(number)
        return numbers

    def up_to(self, end: int) -> np.ndarray:
        """What should stand at positions 0 to end - 1; a position that it does not know yet is never right."""
        return np.where(np.arange(end) < self.num_tokens, self.prefixes[:end], -1)
