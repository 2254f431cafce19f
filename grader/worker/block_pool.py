"""The grader's own KV allocator for Parts 3 to 5, so that a faulty Part 2 costs nothing there.

It lies in the worker, where a submission could read it, and is therefore not the solution's.
"""

from collections import deque

from batching_lab import OutOfBlocks


class BlockPool:
    """A `KVAllocator`: hands out each block once, then the ones given back, those first that came first."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        self.num_blocks = num_blocks
        self.block_size = block_size
        self._never_used = 0
        self._returned: deque[int] = deque()
        self._tables: dict[str, list[int]] = {}

    @property
    def num_free_blocks(self) -> int:
        """How many blocks nobody holds."""
        return self.num_blocks - self._never_used + len(self._returned)

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        """The blocks that a request lacks to hold so many tokens in all. Raises `ValueError` for less than one."""
        if num_tokens < 1:
            raise ValueError(f"num_tokens must be at least 1, not {num_tokens}")
        full, rest = divmod(num_tokens, self.block_size)
        return max(full + (rest > 0) - len(self._tables.get(request_id, [])), 0)

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        """Would `allocate` succeed?"""
        return self.num_free_blocks >= self.blocks_needed(request_id, num_tokens)

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        """The blocks that the request now holds in addition. Raises `OutOfBlocks`, and then takes none."""
        count = self.blocks_needed(request_id, num_tokens)
        if count > self.num_free_blocks:
            raise OutOfBlocks(f"{count} blocks are needed, {self.num_free_blocks} are free")
        blocks: list[int] = []
        while len(blocks) < count:
            if self._returned:
                blocks.append(self._returned.popleft())
            else:
                blocks.append(self._never_used)
                self._never_used += 1
        if blocks:
            self._tables[request_id] = self._tables.get(request_id, []) + blocks
        return blocks

    def block_table(self, request_id: str) -> list[int]:
        """A copy of the request's blocks, in order; empty if it holds none."""
        return self._tables.get(request_id, [])[:]

    def free(self, request_id: str) -> None:
        """Take all blocks of a request back. Raises `KeyError` if it holds none."""
        self._returned.extend(self._tables.pop(request_id))
