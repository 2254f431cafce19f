"""KV-cache blocks, style "dicts and generators": a FIFO free list and a dict of tables.

Free blocks stand in a `deque`: taken at the left, given back at the right, so the block that has been free longest
is handed out first. A request without blocks has no entry in the dict of tables.
"""

from collections import deque

from batching_lab import OutOfBlocks


class BlockAllocator:
    """Hands out blocks 0..num_blocks-1, each to one request at a time."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        if num_blocks < 1 or block_size < 1:
            raise ValueError(f"num_blocks and block_size must be at least 1, not {num_blocks} and {block_size}")
        self.num_blocks = num_blocks
        self.block_size = block_size
        self._free: deque[int] = deque(range(num_blocks))
        self._tables: dict[str, list[int]] = {}

    @property
    def num_free_blocks(self) -> int:
        return len(self._free)

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        """How many blocks to add so that the request holds `num_tokens` tokens in all."""
        if num_tokens < 1:
            raise ValueError(f"num_tokens must be at least 1, not {num_tokens}")
        total = -(-num_tokens // self.block_size)
        return max(0, total - len(self._tables.get(request_id, ())))

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        return self.blocks_needed(request_id, num_tokens) <= len(self._free)

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        """Grow the request's table and return the new block ids; all or nothing (`OutOfBlocks`)."""
        count = self.blocks_needed(request_id, num_tokens)
        if count > len(self._free):
            raise OutOfBlocks(f"{request_id} needs {count} more blocks, {len(self._free)} are free")
        taken = [self._free.popleft() for _ in range(count)]
        if taken:
            self._tables.setdefault(request_id, []).extend(taken)
        return taken

    def block_table(self, request_id: str) -> list[int]:
        return list(self._tables.get(request_id, ()))

    def free(self, request_id: str) -> None:
        """Give back everything that the request holds; `KeyError` if it holds nothing."""
        self._free.extend(self._tables.pop(request_id))
