"""KV-block allocator; style: the free list is an integer bitmap.

Bit b of one Python int is set while block b is free. The lowest set bit is handed out first; giving blocks back is one
`|=` with the mask of the table. A counter beside the bitmap answers "how many are free?" without counting bits.
"""

from batching_lab import OutOfBlocks


class BlockAllocator:
    """Hands out KV-cache blocks 0..num_blocks-1 of block_size tokens each."""

    def __init__(self, num_blocks: int, block_size: int) -> None:
        if num_blocks < 1 or block_size < 1:
            raise ValueError(f"num_blocks and block_size must be at least 1, not {num_blocks!r} and {block_size!r}")
        self.num_blocks = num_blocks
        self.block_size = block_size
        self._free_bits = (1 << num_blocks) - 1
        self._num_free = num_blocks
        self._tables: dict[str, list[int]] = {}

    @property
    def num_free_blocks(self) -> int:
        """How many blocks belong to nobody."""
        return self._num_free

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        """How many blocks to add so that the request holds num_tokens in all."""
        if num_tokens < 1:
            raise ValueError(f"num_tokens must be at least 1, not {num_tokens!r}")
        target = (num_tokens + self.block_size - 1) // self.block_size
        return max(0, target - len(self._tables.get(request_id, ())))

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        """Would `allocate` succeed?"""
        return self.blocks_needed(request_id, num_tokens) <= self._num_free

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        """Grow the request's table to num_tokens, all or nothing; return the new block ids."""
        count = self.blocks_needed(request_id, num_tokens)
        if count > self._num_free:
            raise OutOfBlocks(f"{request_id} needs {count} more blocks, {self._num_free} are free")
        if count == 0:
            return []
        bits = self._free_bits
        fresh: list[int] = []
        for _ in range(count):
            lowest = bits & -bits
            fresh.append(lowest.bit_length() - 1)
            bits ^= lowest
        self._free_bits = bits
        self._num_free -= count
        self._tables.setdefault(request_id, []).extend(fresh)
        return fresh

    def block_table(self, request_id: str) -> list[int]:
        """A copy of the request's blocks in token order; [] if it holds none."""
        return list(self._tables.get(request_id, ()))

    def free(self, request_id: str) -> None:
        """Give all blocks of the request back; KeyError if it holds none."""
        table = self._tables.pop(request_id)
        mask = 0
        for block in table:
            mask |= 1 << block
        self._free_bits |= mask
        self._num_free += len(table)
