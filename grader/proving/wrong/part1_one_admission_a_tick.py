"""Each boundary admits the first of the queue."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_fills_all_free_slots",),
    file="scheduler.py",
    changes=(
        (
            """\
            self.compute(sequence, num_tokens)
            budget -= num_tokens
""",
            """\
            self.compute(sequence, num_tokens)
            break
""",
        ),
    ),
)
