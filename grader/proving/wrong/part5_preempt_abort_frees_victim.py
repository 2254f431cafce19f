"""A sequence with outputs holds blocks, so an abort frees them."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_abort_waiting", "preempt_self"),
    file="scheduler.py",
    changes=(
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
    ),
)
