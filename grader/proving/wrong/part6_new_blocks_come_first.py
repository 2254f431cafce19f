"""The newest block is used next, so it stands at the front of the table."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="6-cpu",
    caught_by=("model_static_batches", "model_whole_prompts", "model_chunks", "model_block_sizes", "model_stories"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
""",
            """\
        self.block_tables[request_id] = new_blocks + self.block_tables.get(request_id, [])
""",
        ),
    ),
)
