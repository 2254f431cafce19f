"""A table reads better in the order of the ids."""

PART = "2"
CAUGHT_BY = ["table_grows_at_its_end"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        return list(self.block_tables.get(request_id, ()))
""",
        """\
        return sorted(self.block_tables.get(request_id, ()))
""",
    ),
]
