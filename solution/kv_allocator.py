"""Part 2: the KV-cache block allocator.

The KV cache is a pool of `num_blocks` blocks with room for `block_size` tokens each. A request that
holds n tokens holds blocks(n) = ceil(n / block_size) of them, listed in its block table in token
order: token i lies in block table[i // block_size]. The blocks need not be neighbours, so nothing is
lost to fragmentation but the unused end of each request's last block.
"""

from batching_lab import OutOfBlocks


class BlockAllocator:
    """Hands out KV blocks and keeps one block table per request.

    A block belongs to one request at a time. Block ids are 0 .. num_blocks - 1; which free block is
    handed out first is your choice. Every operation costs time proportional to the blocks that it
    moves: not to the pool, not to the number of requests.
    """

    def __init__(self, num_blocks: int, block_size: int) -> None:
        """An empty pool. Raises `ValueError` unless both numbers are at least 1.

        Both are kept under these names, `num_blocks` and `block_size`: others read them.

        Hint: besides them you need the ids that are free, and request id -> block table.
        """
        # BEGIN SOLUTION
        if num_blocks < 1 or block_size < 1:
            raise ValueError(f"a pool needs num_blocks >= 1 and block_size >= 1, not {num_blocks} and {block_size}")
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.free_blocks = list(range(num_blocks - 1, -1, -1))  # a stack: the block freed last is handed out first
        self.block_tables: dict[str, list[int]] = {}
        # END SOLUTION

    @property
    def num_free_blocks(self) -> int:
        """How many blocks nobody holds."""
        # BEGIN SOLUTION
        return len(self.free_blocks)
        # END SOLUTION

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        """How many blocks to ADD so that the request holds room for `num_tokens` tokens in all.

        0 if it holds enough already, also when `num_tokens` is smaller than before. A request that
        was never seen holds nothing. Raises `ValueError` if `num_tokens` < 1.
        """
        # BEGIN SOLUTION
        if num_tokens < 1:
            raise ValueError(f"request {request_id}: num_tokens must be at least 1, not {num_tokens}")
        num_blocks_wanted = -(-num_tokens // self.block_size)
        num_blocks_held = len(self.block_tables.get(request_id, ()))
        return max(0, num_blocks_wanted - num_blocks_held)
        # END SOLUTION

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        """Would `allocate` with the same arguments succeed? Raises `ValueError` if `num_tokens` < 1."""
        # BEGIN SOLUTION
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
        # END SOLUTION

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        """Grow the request's table until it holds `num_tokens` tokens in all; return the new block ids.

        The new blocks go to the end of the table. All or nothing: `OutOfBlocks` if too few are free,
        and then nothing has changed. Raises `ValueError` if `num_tokens` < 1.
        """
        # BEGIN SOLUTION
        num_new_blocks = self.blocks_needed(request_id, num_tokens)
        if num_new_blocks > self.num_free_blocks:
            raise OutOfBlocks(f"request {request_id} needs {num_new_blocks} blocks, {self.num_free_blocks} are free")
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
        return new_blocks
        # END SOLUTION

    def block_table(self, request_id: str) -> list[int]:
        """A copy of the request's block ids in token order; [] if it holds none."""
        # BEGIN SOLUTION
        return list(self.block_tables.get(request_id, ()))
        # END SOLUTION

    def free(self, request_id: str) -> None:
        """Give all of the request's blocks back. Raises `KeyError` if it holds none."""
        # BEGIN SOLUTION
        self.free_blocks.extend(self.block_tables.pop(request_id))
        # END SOLUTION
