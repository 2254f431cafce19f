"""A sequence whose prompt is only partly computed is not preempted: that work would be lost."""

PART = "5"
CAUGHT_BY = ["preempt_admits_nobody"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        request_id = next(reversed(self.running))
""",
        """\
        decoding = [i for i, s in self.running.items() if s.num_uncomputed_tokens == 1]
        request_id = decoding[-1] if decoding else next(reversed(self.running))
""",
    ),
]
