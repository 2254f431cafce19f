"""The blocks to add are those wanted minus those held."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("fewer_tokens_add_nothing",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        return max(0, num_blocks_wanted - num_blocks_held)
""",
            """\
        return num_blocks_wanted - num_blocks_held
""",
        ),
    ),
)
