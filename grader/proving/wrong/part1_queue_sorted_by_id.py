"""A heap of ids keeps the queue in order."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_first_come_first_served",),
    file="scheduler.py",
    changes=(
        (
            """\
            sequence = next(iter(self.waiting.values()))
            num_tokens = min(sequence.num_uncomputed_tokens""",
            """\
            sequence = self.waiting[min(self.waiting)]
            num_tokens = min(sequence.num_uncomputed_tokens""",
        ),
    ),
)
