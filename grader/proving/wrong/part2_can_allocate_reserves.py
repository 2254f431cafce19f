"""Who asks whether blocks can be had will take them."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("questions_change_nothing",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
""",
            """\
        try:
            self.allocate(request_id, num_tokens)
        except OutOfBlocks:
            return False
        return True
""",
        ),
    ),
)
