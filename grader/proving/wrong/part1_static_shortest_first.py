"""A static batch wastes less when it is made of the shortest requests."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_arrivals_wait",),
    file="scheduler.py",
    changes=(
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
    ),
)
