"""The free ids are a set, in no order; tables spring up in a defaultdict."""

import math
from collections import defaultdict

from batching_lab import OutOfBlocks


class BlockAllocator:
    def __init__(self, num_blocks: int, block_size: int) -> None:
        if num_blocks < 1:
            raise ValueError(f"num_blocks is {num_blocks}")
        if block_size < 1:
            raise ValueError(f"block_size is {block_size}")
        self._sizes = (num_blocks, block_size)
        self._unused = set(range(num_blocks))
        self._tables: defaultdict[str, list[int]] = defaultdict(list)

    @property
    def num_blocks(self) -> int:
        return self._sizes[0]

    @property
    def block_size(self) -> int:
        return self._sizes[1]

    @property
    def num_free_blocks(self) -> int:
        return len(self._unused)

    def blocks_needed(self, request_id: str, num_tokens: int) -> int:
        if num_tokens < 1:
            raise ValueError(f"num_tokens is {num_tokens}")
        lacking = math.ceil(num_tokens / self.block_size) - len(self._tables[request_id])
        return lacking if lacking > 0 else 0

    def can_allocate(self, request_id: str, num_tokens: int) -> bool:
        return self.blocks_needed(request_id, num_tokens) in range(len(self._unused) + 1)

    def allocate(self, request_id: str, num_tokens: int) -> list[int]:
        if not self.can_allocate(request_id, num_tokens):
            raise OutOfBlocks(request_id, num_tokens)
        before = len(self._tables[request_id])
        for _ in range(self.blocks_needed(request_id, num_tokens)):
            self._tables[request_id].append(self._unused.pop())
        return self._tables[request_id][before:]

    def block_table(self, request_id: str) -> list[int]:
        return list(self._tables[request_id])

    def free(self, request_id: str) -> None:
        blocks = self._tables.pop(request_id, None)
        if not blocks:
            raise KeyError(request_id)
        self._unused.update(blocks)
