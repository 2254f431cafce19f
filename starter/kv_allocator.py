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
        raise NotImplementedError

    @property
    def num_free_blocks(self) -> int:
        """How many blocks nobody holds."""
        raise NotImplementedError

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        """How many blocks to ADD so that the request holds room for `num_tokens` tokens in all.

        0 if it holds enough already, also when `num_tokens` is smaller than before. A request that
        was never seen holds nothing. Raises `ValueError` if `num_tokens` < 1.
        """
        raise NotImplementedError

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        """Would `allocate` with the same arguments succeed? Raises `ValueError` if `num_tokens` < 1."""
        raise NotImplementedError

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        """Grow the request's table until it holds `num_tokens` tokens in all; return the new block ids.

        The new blocks go to the end of the table. All or nothing: `OutOfBlocks` if too few are free,
        and then nothing has changed. Raises `ValueError` if `num_tokens` < 1.
        """
        raise NotImplementedError

    def block_table(self, request_id: str) -> list[int]:
        """A copy of the request's block ids in token order; [] if it holds none."""
        raise NotImplementedError

    def free(self, request_id: str) -> None:
        """Give all of the request's blocks back. Raises `KeyError` if it holds none."""
        raise NotImplementedError
