from __future__ import annotations

import copy
import os
import random
import sys
import threading
from typing import Dict, List, Optional

import helpers
from helpers import ceil_div, logger

from batching_lab import KVAllocator, OutOfBlocks

print("kv_allocator imported from", os.path.basename(__file__), file=sys.stderr)


class MyOutOfBlocks(OutOfBlocks):
    def __init__(self, wanted, free):
        super().__init__()
        self.wanted = wanted
        self.free = free

    def __str__(self):
        return "wanted %d, only %d free" % (self.wanted, self.free)


class BlockAllocator(KVAllocator):
    """block stuff"""

    total_created = 0

    def __init__(self, num_blocks: int, block_size: int):
        if num_blocks <= 0 or block_size <= 0:
            raise helpers.LabError("bad pool: " + str(num_blocks) + " x " + str(block_size))
        self.num_blocks = num_blocks
        self.block_size = block_size
        self.tables: Dict[str, List[int]] = dict()
        self.free_list = [i for i in range(num_blocks)]
        random.shuffle(self.free_list)  # so that nothing depends on the order
        self.lock = threading.RLock()
        self.last_error: Optional[Exception] = None
        BlockAllocator.total_created += 1

    @property
    def num_free_blocks(self):
        with self.lock:
            return len(self.free_list)

    def check(self):
        # debug: nothing twice, nothing lost
        all_blocks = set()
        for t in self.tables.values():
            all_blocks |= set(t)
        assert len(all_blocks) == sum(len(t) for t in self.tables.values()), "block in two tables!!"
        assert len(all_blocks) + len(self.free_list) == self.num_blocks, "leak!!"

    def blocks_needed(self, request_id, num_tokens):
        if num_tokens < 1:
            raise helpers.LabError("num_tokens must be positive")
        have = len(self.tables[request_id]) if request_id in self.tables.keys() else 0
        need = ceil_div(num_tokens, self.block_size)
        if need > have:
            return need - have
        else:
            return 0

    def can_allocate(self, request_id, num_tokens):
        n = self.blocks_needed(request_id, num_tokens)
        if n > self.num_free_blocks:
            return False
        return True

    def allocate(self, request_id, num_tokens):
        self.check()
        with self.lock:
            n = self.blocks_needed(request_id, num_tokens)
            if n > len(self.free_list):
                self.last_error = MyOutOfBlocks(n, len(self.free_list))
                raise self.last_error
            if n == 0:
                return []
            new = self.free_list[:n]
            del self.free_list[:n]
            if request_id not in self.tables:
                self.tables[request_id] = []
            for b in new:
                self.tables[request_id].append(b)
            logger.debug("gave %s to %s", new, request_id)
        self.check()
        return new

    def block_table(self, request_id):
        return copy.deepcopy(self.tables.get(request_id, []))

    def free(self, request_id):
        try:
            blocks = self.tables[request_id]
        except KeyError as e:
            print("free of unknown request", request_id)
            raise KeyError("nothing to free for %s" % request_id) from e
        del self.tables[request_id]
        for b in set(blocks):
            self.free_list.append(b)
        self.check()


if __name__ == "__main__":
    a = BlockAllocator(4, 2)
    print(a.allocate("x", 5), a.block_table("x"))
