"""Only allocate changes something, so only there nonsense must be refused."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("num_tokens_below_one",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        if num_tokens < 1:
            raise ValueError(f"request {request_id}: num_tokens must be at least 1, not {num_tokens}")
""",
            "",
        ),
        (
            """\
        num_new_blocks = self.blocks_needed(request_id, num_tokens)
""",
            """\
        if num_tokens < 1:
            raise ValueError(f"request {request_id}: num_tokens must be at least 1, not {num_tokens}")
        num_new_blocks = self.blocks_needed(request_id, num_tokens)
""",
        ),
    ),
)
