"""A request that has begun is among the running ones; the queue holds those that never ran."""

PART = "5"
CAUGHT_BY = ["preempt_abort_waiting", "preempt_self", "preempt_id_taken"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            self.waiting.pop(request_id, None)
""",
        """\
            if request_id in self.waiting and not self.waiting[request_id].output_token_ids:
                del self.waiting[request_id]
""",
    ),
]
