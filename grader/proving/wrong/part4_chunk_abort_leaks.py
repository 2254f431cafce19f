"""A sequence that has no token yet holds nothing that an abort would have to give back."""

PART = "4"
CAUGHT_BY = ["chunk_abort_middle"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.allocator.free(request_id)
""",
        """\
            if sequence.output_token_ids:
                self.allocator.free(request_id)
""",
    ),
]
