"""A request must have a table before it can be asked about."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("tokens_fill_whole_blocks", "growth_by_the_difference", "room_in_the_last_block"),
    file="kv_allocator.py",
    changes=(
        (
            "len(self.block_tables.get(request_id, ()))",
            "len(self.block_tables[request_id])",
        ),
    ),
)
