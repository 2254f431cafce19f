"""A victim that has generated nothing yet is like a new request and goes to the back of the queue."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_abort_recomputing",),
    file="scheduler.py",
    changes=(
        (
            "        self.waiting.move_to_end(request_id, last=False)\n",
            "        self.waiting.move_to_end(request_id, last=not victim.output_token_ids)\n",
        ),
    ),
)
