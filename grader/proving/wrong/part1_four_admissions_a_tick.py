"""At most four prefills a tick keep the tick short."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("many_requests",),
    file="scheduler.py",
    changes=(
        (
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens\n            if sum(1 for i in self.scheduled if not self.running[i].num_computed_tokens) == 4:\n                break",
        ),
    ),
)
