"""Block_table can make the empty table that it returns."""

PART = "2"
CAUGHT_BY = ["questions_change_nothing"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return list(self.block_tables.get(request_id, ()))
""",
        """\
        return list(self.block_tables.setdefault(request_id, []))
""",
    ),
]
