"""A request that has begun is among the running ones; the queue holds those that never ran."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_abort_waiting", "preempt_self", "preempt_id_taken"),
    file="scheduler.py",
    changes=(
        (
            """\
            self.waiting.pop(request_id, None)
""",
            """\
            if request_id in self.waiting and not self.waiting[request_id].output_token_ids:
                del self.waiting[request_id]
""",
        ),
    ),
)
