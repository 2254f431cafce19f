"""Faults to plant between a scheduler and the model, to see what each of them does."""

from collections.abc import Mapping
from typing import Any

from batching_lab.errors import ModelError
from batching_lab.model.executor import ModelExecutor
from batching_lab.request import Sequence
from batching_lab.schedule import Schedule

FAULTS = {
    "double-allocation": "the block that a request is given belongs to another one already",
    "swapped-blocks": "two blocks of a table change places",
    "stale-block": "the first block of a table becomes one that nobody holds",
    "lost-slot": "a table lacks its last block for one tick, so that the token computed then is not stored",
}


class FaultyExecutor(ModelExecutor):
    """A `ModelExecutor` that spoils one request's block table, once that takes its third block or a later one.

    victim       the request, None until then
    other        for double-allocation: the request that holds the block, too
    planted_in   the tick
    """

    def __init__(self, *args: Any, fault: str, **options: Any) -> None:
        super().__init__(*args, **options)
        if fault not in FAULTS:
            raise ModelError(f"there is no fault {fault!r}: it must be one of {', '.join(FAULTS)}")
        self.fault = fault
        self.victim: str | None = None
        self.other: str | None = None
        self.planted_in = 0
        self.index = 0  # of the wrong block in the victim's table
        self.block = 0  # that stands there instead
        self.tick = 0

    def execute(
        self, schedule: Schedule, sequences: Mapping[str, Sequence], block_tables: Mapping[str, list[int]]
    ) -> dict[str, int]:
        """Run one tick, with the victim's block table spoiled; see `batching_lab.interfaces.Executor`."""
        self.tick += 1
        if self.victim is None:
            self.choose_victim(schedule, sequences, block_tables)
        victim = self.victim
        if victim is not None and victim in block_tables:
            block_tables = {**block_tables, victim: self.spoiled(block_tables[victim])}
        return super().execute(schedule, sequences, block_tables)

    def choose_victim(
        self, schedule: Schedule, sequences: Mapping[str, Sequence], block_tables: Mapping[str, list[int]]
    ) -> None:
        """The first request that computes one token, in the first slot of at least its third block."""
        held = {block for table in block_tables.values() for block in table}
        free = sorted(set(range(self.cache.num_blocks)) - held)
        for request_id, num_tokens in schedule.num_scheduled_tokens.items():
            num_computed = sequences[request_id].num_computed_tokens
            num_full_blocks, offset = divmod(num_computed, self.cache.block_size)
            others = [other for other in schedule.num_scheduled_tokens if other != request_id and block_tables[other]]
            if num_tokens > 1 or num_full_blocks < 2 or offset > 0:
                continue
            if self.fault == "double-allocation" and others:
                self.other = others[0]
                self.index, self.block = num_full_blocks, block_tables[self.other][-1]
            elif self.fault == "stale-block" and free:
                self.index, self.block = 0, free[0]
            elif self.fault not in ("swapped-blocks", "lost-slot"):
                continue
            self.victim, self.planted_in = request_id, self.tick
            return

    def spoiled(self, table: list[int]) -> list[int]:
        """The victim's table as the model gets it."""
        table = list(table)
        if self.fault == "lost-slot":
            return table[:-1] if self.tick == self.planted_in else table
        if self.fault == "swapped-blocks":
            table[:2] = reversed(table[:2])
        elif self.index < len(table):
            table[self.index] = self.block
        return table
