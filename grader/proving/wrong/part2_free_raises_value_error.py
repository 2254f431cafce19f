"""A wrong argument is a ValueError, in free too."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("all_or_nothing", "questions_change_nothing", "num_tokens_below_one"),
    file="kv_allocator.py",
    changes=(
        (
            "        self.free_blocks.extend(self.block_tables.pop(request_id))",
            "        if request_id not in self.block_tables:\n            raise ValueError('x')\n        self.free_blocks.extend(self.block_tables.pop(request_id))",
        ),
    ),
)
