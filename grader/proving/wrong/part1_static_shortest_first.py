"""A static batch wastes less when it is made of the shortest requests."""

PART = "1"
CAUGHT_BY = ["static_arrivals_wait"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            sequence = next(iter(self.waiting.values()))
            if not self.worst_case_fits(sequence.request):
""",
        """\
            sequence = min(self.waiting.values(), key=lambda waiting: waiting.request.max_tokens)
            if not self.worst_case_fits(sequence.request):
""",
    ),
]
