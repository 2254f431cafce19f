"""No eviction is guaranteed by taking all blocks of the worst case at admission."""

PART = "3"
CAUGHT_BY = ["blocks_taken_as_needed", "static_batch_by_worst_cases"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens)
        self.scheduled""",
        """\
            self.allocator.allocate(request_id, max_computed_tokens(sequence.request))
        self.scheduled""",
    ),
]
