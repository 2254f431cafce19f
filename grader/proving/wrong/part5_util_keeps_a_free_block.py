"""At admission one block more than the prompt needs must be free, for the token that comes next."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_full_pool", "preempt_last_admitted", "preempt_two", "preempt_admits_nobody"),
    file="scheduler.py",
    changes=(
        (
            """\
        return self.allocator is None or self.allocator.can_allocate(request.request_id, num_tokens)
""",
            """\
        if self.allocator is None:
            return True
        return self.allocator.blocks_needed(request.request_id, num_tokens) < self.allocator.num_free_blocks
""",
        ),
    ),
)
