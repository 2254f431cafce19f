"""Only requests that never ran and those that run now are in the scheduler."""

PART = "5"
CAUGHT_BY = ["preempt_id_taken"]
FILE = "scheduler.py"
CHANGES = [
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
]
