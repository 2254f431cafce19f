"""Pop() takes the next one from the queue."""

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
            sequence = next(reversed(self.waiting.values()))
            num_tokens = min(sequence.num_uncomputed_tokens""",
        ),
    ),
)
