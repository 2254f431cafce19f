"""The list of free blocks raises an error by itself when it is empty."""

PART = "2"
CAUGHT_BY = ["tokens_fill_whole_blocks", "all_or_nothing", "exactly_the_last_block"]
FILE = "kv_allocator.py"
CHANGES = [
    (
        '        if num_new_blocks > self.num_free_blocks:\n            raise OutOfBlocks(f"request {request_id} needs {num_new_blocks} blocks, {self.num_free_blocks} are free")\n',
        "",
    ),
]
