"""A free count that is not a number, and block ids that are bools and infinities."""

from grader.proving.attacks.bases import wrong_allocator

MECHANISM = "number of another type"
WHERE = "reply object"
PART = "2"
DESERVED: tuple[str, ...] = ()
NOT_SHOWN = "the plain tests compare with whole numbers; a test of free < limit would be passed by a NaN"
FILES = wrong_allocator(
    constructor="type(self).num_free_blocks = float('nan')",
    allocate="return [True, False, 1e999]",
    block_table="return [True, False, 1e999]",
    blocks_needed="return True",
)
