"""Free undoes what allocate returned."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("free_gives_all_blocks_back",),
    file="kv_allocator.py",
    changes=(
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
    ),
)
