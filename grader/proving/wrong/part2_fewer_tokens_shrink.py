"""After allocate the request holds blocks(num_tokens) blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("fewer_tokens_add_nothing",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return new_blocks
""",
            """\
        table = self.block_tables[request_id]
        while len(table) * self.block_size >= num_tokens + self.block_size:
            self.free_blocks.append(table.pop())
        return new_blocks
""",
        ),
    ),
)
