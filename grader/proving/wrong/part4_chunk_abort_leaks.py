"""A sequence that has no token yet holds nothing that an abort would have to give back."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_abort_middle",),
    file="scheduler.py",
    changes=(
        (
            """\
            self.allocator.free(request_id)
""",
            """\
            if sequence.output_token_ids:
                self.allocator.free(request_id)
""",
        ),
    ),
)
