"""A victim comes after the request that was next anyway."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_front",),
    file="scheduler.py",
    changes=(
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
    ),
)
