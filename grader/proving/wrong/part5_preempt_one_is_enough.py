"""One victim frees enough for one sequence to grow; otherwise the sequence waits a tick."""

PART = "5"
CAUGHT_BY = ["preempt_chunk_needs_two"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
                victim = self.preempt()
                preempted.append(victim.request.request_id)
""",
        """\
                if preempted:
                    return False
                victim = self.preempt()
                preempted.append(victim.request.request_id)
""",
    ),
]
