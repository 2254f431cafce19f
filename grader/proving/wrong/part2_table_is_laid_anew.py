"""To grow is to free the old blocks and to take as many as are needed now."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("table_grows_at_its_end",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        new_blocks = [self.free_blocks.pop() for _ in range(num_new_blocks)]
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
""",
            """\
        if num_new_blocks == 0:
            return []
        old = self.block_tables.pop(request_id, [])
        self.free_blocks.extend(old)
        table = [self.free_blocks.pop() for _ in range(len(old) + num_new_blocks)]
        self.block_tables[request_id] = table
        new_blocks = table[len(old) :]
""",
        ),
    ),
)
