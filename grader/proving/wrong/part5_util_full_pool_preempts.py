"""Every decode needs a free block; when none is free, somebody has to go."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_full_pool", "preempt_recompute"),
    file="scheduler.py",
    changes=(
        (
            """\
            room_in_last_block = -sequence.num_computed_tokens % block_size
""",
            """\
            room_in_last_block = -sequence.num_computed_tokens % block_size
            while (
                self.allocator is not None
                and self.config.kv_policy == "max_utilization"
                and self.allocator.num_free_blocks == 0
                and next(reversed(self.running)) != request_id
            ):
                preempted.append(self.preempt().request.request_id)
""",
        ),
    ),
)
