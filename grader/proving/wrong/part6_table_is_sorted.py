"""A table says which blocks a request holds; sorted it is easier to read."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="6-cpu",
    caught_by=("model_static_batches", "model_whole_prompts", "model_chunks", "model_stories"),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return list(self.block_tables.get(request_id, ()))
""",
            """\
        return sorted(self.block_tables.get(request_id, ()))
""",
        ),
    ),
)
