"""The blocks to add are those of the tokens to add."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("growth_by_the_difference", "room_in_the_last_block", "table_grows_at_its_end"),
    file="kv_allocator.py",
    changes=(
        (
            "        num_blocks_wanted = -(-num_tokens // self.block_size)\n        num_blocks_held = len(self.block_tables.get(request_id, ()))\n        return max(0, num_blocks_wanted - num_blocks_held)",
            "        self.tok = getattr(self, 'tok', {})\n        held = self.tok.get(request_id, 0) if request_id in self.block_tables else 0\n        return max(0, -(-(num_tokens - held) // self.block_size))",
        ),
        (
            "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
            "        self.tok[request_id] = max(num_tokens, self.tok.get(request_id, 0) if request_id in self.block_tables else 0)\n        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
        ),
    ),
)
