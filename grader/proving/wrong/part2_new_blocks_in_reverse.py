"""The order of the ids that allocate returns does not matter."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("tokens_fill_whole_blocks", "growth_by_the_difference", "room_in_the_last_block"),
    file="kv_allocator.py",
    changes=(
        (
            "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
            "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks[::-1]",
        ),
    ),
)
