"""A victim that has generated nothing yet is like a new request and goes to the back of the queue."""

PART = "5"
CAUGHT_BY = ["preempt_abort_recomputing"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        self.waiting.move_to_end(request_id, last=False)\n",
        "        self.waiting.move_to_end(request_id, last=not victim.output_token_ids)\n",
    ),
]
