"""A new block is empty, so it joins the table when the next one is taken."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="6-cpu",
    caught_by=("model_static_batches", "model_whole_prompts", "model_block_sizes", "model_stories"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.block_tables: dict[str, list[int]] = {}
""",
            """\
        self.block_tables: dict[str, list[int]] = {}
        self.new_blocks: dict[str, list[int]] = {}
""",
        ),
        (
            """\
        num_blocks_held = len(self.block_tables.get(request_id, ()))
""",
            """\
        num_blocks_held = len(self.block_tables.get(request_id, ())) + len(self.new_blocks.get(request_id, ()))
""",
        ),
        (
            """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
""",
            """\
        if new_blocks:
            self.block_tables.setdefault(request_id, []).extend(self.new_blocks.pop(request_id, []))
            self.new_blocks[request_id] = new_blocks
""",
        ),
        (
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id) + self.new_blocks.pop(request_id, []))
""",
        ),
    ),
)
