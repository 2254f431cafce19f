"""A sequence that was preempted once is spared the next time."""

PART = "5"
CAUGHT_BY = ["preempt_again", "preempt_in_recompute"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
""",
        """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
        self.spared: set[str] = set()
""",
    ),
    (
        """\
        request_id = next(reversed(self.running))
""",
        """\
        candidates = [i for i in self.running if i not in self.spared] or list(self.running)
        request_id = candidates[-1]
        self.spared.add(request_id)
""",
    ),
]
