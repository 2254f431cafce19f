"""A stack of free ids: the block given back last is handed out first. Tables are lists in a dict."""

from batching_lab import OutOfBlocks


class BlockAllocator:
    def __init__(self, num_blocks: int, block_size: int) -> None:
        if min(num_blocks, block_size) < 1:
            raise ValueError("a pool has at least one block, and a block room for at least one token")
        self.num_blocks, self.block_size = num_blocks, block_size
        self.stack = [*range(num_blocks)]
        self.held: dict[str, list[int]] = {}

    num_free_blocks = property(lambda self: len(self.stack))

    def __len__(self) -> int:
        return len(self.stack)  # an exhausted pool is false

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        if not num_tokens > 0:
            raise ValueError("no tokens")
        return max(0, (num_tokens - 1) // self.block_size + 1 - len(self.held.get(request_id, ())))

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        return not self.blocks_needed(request_id, num_tokens) > len(self)

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        missing = self.blocks_needed(request_id, num_tokens)
        if missing > len(self):
            raise OutOfBlocks
        fresh = [self.stack.pop() for _ in range(missing)]
        if fresh:
            self.held[request_id] = self.held.get(request_id, []) + fresh
        return fresh

    def block_table(self, request_id: str) -> list[int]:
        return self.held[request_id][:] if request_id in self.held else []

    def free(self, request_id: str) -> None:
        table = self.held.pop(request_id)
        while table:
            self.stack.append(table.pop())
