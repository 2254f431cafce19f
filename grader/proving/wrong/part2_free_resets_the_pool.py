"""When a request leaves, the list of free blocks can be made anew."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("free_gives_all_blocks_back",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
            """\
        del self.block_tables[request_id]
        self.free_blocks = list(range(self.num_blocks))
""",
        ),
    ),
)
