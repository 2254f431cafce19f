"""Free undoes what allocate returned."""

PART = "2"
CAUGHT_BY = ["free_gives_all_blocks_back"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        """\
        self.block_tables: dict[str, list[int]] = {}
""",
        """\
        self.block_tables: dict[str, list[int]] = {}
        self.last: dict[str, list[int]] = {}
""",
    ),
    (
        """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
""",
        """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
        self.last[request_id] = new_blocks or self.last[request_id]
""",
    ),
    (
        """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
        """\
        del self.block_tables[request_id]
        self.free_blocks.extend(self.last.pop(request_id))
""",
    ),
]
