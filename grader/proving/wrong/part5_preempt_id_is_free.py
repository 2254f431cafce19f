"""Only requests that never ran and those that run now are in the scheduler."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_id_taken",),
    file="scheduler.py",
    changes=(
        (
            """\
        if request.request_id in self.waiting or request.request_id in self.running:
""",
            """\
        waiting = self.waiting.get(request.request_id)
        is_new = waiting is not None and not waiting.output_token_ids
        if is_new or request.request_id in self.running:
""",
        ),
    ),
)
