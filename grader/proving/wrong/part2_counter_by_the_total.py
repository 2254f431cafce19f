"""Each allocate takes blocks(num_tokens) from the count of the free blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("growth_by_the_difference", "room_in_the_last_block", "table_grows_at_its_end"),
    file="kv_allocator.py",
    changes=(
        (
            "        return len(self.free_blocks)",
            "        return self.count",
        ),
        (
            "        self.block_tables: dict[str, list[int]] = {}",
            "        self.block_tables: dict[str, list[int]] = {}\n        self.count = num_blocks",
        ),
        (
            "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
            "        self.count -= -(-num_tokens // self.block_size)\n        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
        ),
        (
            "        self.free_blocks.extend(self.block_tables.pop(request_id))",
            "        self.count += len(self.block_tables[request_id])\n        self.free_blocks.extend(self.block_tables.pop(request_id))",
        ),
    ),
)
