"""Block_table can return the list that the allocator keeps."""

PART = "2"
CAUGHT_BY = ["block_table_is_a_copy"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return list(self.block_tables.get(request_id, ()))
""",
        """\
        return self.block_tables.get(request_id, [])
""",
    ),
]
