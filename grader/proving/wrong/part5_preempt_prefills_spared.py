"""A sequence whose prompt is only partly computed is not preempted: that work would be lost."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_admits_nobody",),
    file="scheduler.py",
    changes=(
        (
            """\
        request_id = next(reversed(self.running))
""",
            """\
        decoding = [i for i, s in self.running.items() if s.num_uncomputed_tokens == 1]
        request_id = decoding[-1] if decoding else next(reversed(self.running))
""",
        ),
    ),
)
