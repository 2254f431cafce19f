"""Every decode needs a free block; when none is free, somebody has to go."""

PART = "5"
CAUGHT_BY = ["util_full_pool", "preempt_recompute"]
FILE = "scheduler.py"
CHANGES = [
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
]
