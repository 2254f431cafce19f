"""The list of free blocks raises an error by itself when it is empty."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("tokens_fill_whole_blocks", "all_or_nothing", "exactly_the_last_block"),
    file="kv_allocator.py",
    changes=(
        (
            '        if num_new_blocks > self.num_free_blocks:\n            raise OutOfBlocks(f"request {request_id} needs {num_new_blocks} blocks, {self.num_free_blocks} are free")\n',
            "",
        ),
    ),
)
