"""The request needs a table before it can be given blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("all_or_nothing",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        num_new_blocks = self.blocks_needed(request_id, num_tokens)
""",
            """\
        num_new_blocks = self.blocks_needed(request_id, num_tokens)
        self.block_tables.setdefault(request_id, [])
""",
        ),
    ),
)
