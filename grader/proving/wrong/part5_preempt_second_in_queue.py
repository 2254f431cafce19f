"""A victim comes after the request that was next anyway."""

PART = "5"
CAUGHT_BY = ["preempt_front"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        self.waiting.move_to_end(request_id, last=False)
""",
        """\
        first = next(iter(self.waiting))
        self.waiting.move_to_end(request_id, last=False)
        if not self.waiting[first].output_token_ids:
            self.waiting.move_to_end(first, last=False)
""",
    ),
]
