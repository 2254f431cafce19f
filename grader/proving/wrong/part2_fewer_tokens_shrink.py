"""After allocate the request holds blocks(num_tokens) blocks."""

PART = "2"
CAUGHT_BY = ["fewer_tokens_add_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
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
]
