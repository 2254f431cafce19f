"""N tokens fill n // block_size + 1 blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("block_sizes", "blocks_last_token_needs_none", "worst_case_pool_exactly_full", "door_kv_worst_case"),
    file="scheduler.py",
    changes=(
        (
            """\
        return -(-max_computed_tokens(request) // self.allocator.block_size)
""",
            """\
        return max_computed_tokens(request) // self.allocator.block_size + 1
""",
        ),
    ),
)
