"""Blocks are links of chains: one array says which block follows which, in the free chain and in every table."""

from array import array

from batching_lab import OutOfBlocks

END = -1


class BlockAllocator:
    def __init__(self, num_blocks: int, block_size: int) -> None:
        for number in (num_blocks, block_size):
            if number < 1:
                raise ValueError(f"{number} is less than 1")
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.num_free_blocks = num_blocks
        self.follower = array("q", [*range(1, num_blocks), END])
        self.free_head = 0
        self.chains: dict[str, tuple[int, int, int]] = {}  # first block, last block, length

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        if num_tokens < 1:
            raise ValueError(f"{num_tokens} tokens")
        _, _, length = self.chains.get(request_id, (END, END, 0))
        room = length * self.block_size
        return 0 if num_tokens <= room else 1 + (num_tokens - room - 1) // self.block_size

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        count = self.blocks_needed(request_id, num_tokens)
        if count > self.num_free_blocks:
            raise OutOfBlocks(f"{request_id}: {count} blocks")
        new: list[int] = []
        while len(new) < count:
            new.append(self.free_head)
            self.free_head = self.follower[self.free_head]
        self.num_free_blocks -= count
        if new:
            self.follower[new[-1]] = END  # before it, the links are those that the free chain had
            first, last, length = self.chains.get(request_id, (new[0], END, 0))
            if last != END:
                self.follower[last] = new[0]
            self.chains[request_id] = (first, new[-1], length + count)
        return new

    def block_table(self, request_id: str) -> list[int]:
        table = []
        block = self.chains[request_id][0] if request_id in self.chains else END
        while block != END:
            table.append(block)
            block = self.follower[block]
        return table

    def free(self, request_id: str) -> None:
        first, last, length = self.chains.pop(request_id)
        self.follower[last] = self.free_head
        self.free_head = first
        self.num_free_blocks += length
