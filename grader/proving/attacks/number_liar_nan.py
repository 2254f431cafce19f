"""A free count that is not a number, and block ids that are bools and infinities."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_allocator

ATTACK = Attack(
    mechanism="number of another type",
    where="reply object",
    part="2",
    deserved=(),
    not_shown="the plain tests compare with whole numbers; a test of free < limit would be passed by a NaN",
    files=wrong_allocator(
        constructor="type(self).num_free_blocks = float('nan')",
        allocate="return [True, False, 1e999]",
        block_table="return [True, False, 1e999]",
        blocks_needed="return True",
    ),
)
