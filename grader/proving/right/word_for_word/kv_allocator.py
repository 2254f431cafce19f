"""The allocator as a first reading of the rules gives it: a set of free ids and a dict of tables."""

from batching_lab import OutOfBlocks


class BlockAllocator:
    def __init__(self, num_blocks: int, block_size: int) -> None:
        if num_blocks < 1 or block_size < 1:
            raise ValueError("num_blocks and block_size must be at least 1")
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.free_ids = set(range(num_blocks))
        self.tables: dict[str, list[int]] = {}

    @property
    def num_free_blocks(self) -> int:
        return len(self.free_ids)

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        if num_tokens < 1:
            raise ValueError("num_tokens must be at least 1")
        blocks = (num_tokens + self.block_size - 1) // self.block_size
        held = len(self.block_table(request_id))
        return blocks - held if blocks > held else 0

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        needed = self.blocks_needed(request_id, num_tokens)
        if needed > self.num_free_blocks:
            raise OutOfBlocks("not enough free blocks")
        new = []
        for _ in range(needed):
            new.append(self.free_ids.pop())
        if new:
            self.tables[request_id] = self.block_table(request_id) + new
        return new

    def block_table(self, request_id: str) -> list[int]:
        if request_id not in self.tables:
            return []
        return self.tables[request_id].copy()

    def free(self, request_id: str) -> None:
        self.free_ids.update(self.tables[request_id])
        del self.tables[request_id]
