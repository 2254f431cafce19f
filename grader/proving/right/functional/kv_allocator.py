"""The whole pool is one tuple: who owns each block, and as which of its blocks. Every change makes a new tuple.

Slower than it should be, since each answer looks at the whole pool, but never wrong.
"""

from itertools import islice
from typing import NamedTuple

from batching_lab import OutOfBlocks


class Place(NamedTuple):
    request_id: str
    position: int


Owners = tuple[Place | None, ...]


def table_of(owners: Owners, request_id: str) -> list[int]:
    mine = ((place.position, block) for block, place in enumerate(owners) if place and place.request_id == request_id)
    return [block for _, block in sorted(mine)]


def with_new_blocks(owners: Owners, request_id: str, blocks: list[int], first_position: int) -> Owners:
    given = {block: Place(request_id, first_position + offset) for offset, block in enumerate(blocks)}
    return tuple(given.get(block, place) for block, place in enumerate(owners))


def without(owners: Owners, request_id: str) -> Owners:
    return tuple(None if place and place.request_id == request_id else place for place in owners)


class BlockAllocator:
    __slots__ = ("block_size", "owners")

    def __init__(self, num_blocks: int, block_size: int) -> None:
        if not (num_blocks >= 1 and block_size >= 1):
            raise ValueError("both numbers must be at least 1")
        self.owners: Owners = (None,) * num_blocks
        self.block_size = block_size

    @property
    def num_blocks(self) -> int:
        return len(self.owners)

    @property
    def num_free_blocks(self) -> int:
        return self.owners.count(None)

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        if num_tokens <= 0:
            raise ValueError("at least one token")
        whole, rest = divmod(num_tokens, self.block_size)
        return max(whole + bool(rest) - len(table_of(self.owners, request_id)), 0)

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        return self.num_free_blocks >= self.blocks_needed(request_id, num_tokens)

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        needed = self.blocks_needed(request_id, num_tokens)
        free = reversed([block for block, place in enumerate(self.owners) if place is None])
        blocks = list(islice(free, needed))
        if len(blocks) < needed:
            raise OutOfBlocks(f"{needed - len(blocks)} blocks too few")
        self.owners = with_new_blocks(self.owners, request_id, blocks, len(table_of(self.owners, request_id)))
        return blocks

    def block_table(self, request_id: str) -> list[int]:
        return table_of(self.owners, request_id)

    def free(self, request_id: str) -> None:
        after = without(self.owners, request_id)
        if after == self.owners:
            raise KeyError(request_id)
        self.owners = after
