"""A sequence with outputs holds blocks, so an abort frees them."""

PART = "5"
CAUGHT_BY = ["preempt_abort_waiting", "preempt_self"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.waiting.pop(request_id, None)
""",
        """\
            sequence = self.waiting.pop(request_id, None)
            if sequence is not None and sequence.output_token_ids and self.allocator is not None:
                self.allocator.free(request_id)
""",
    ),
]
