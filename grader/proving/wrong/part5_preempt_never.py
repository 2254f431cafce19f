"""Who lacks a block to grow waits a tick until somebody gives one back."""

PART = "5"
CAUGHT_BY = ["preempt_self", "preempt_last_admitted", "preempt_recompute"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
                victim = self.preempt()
                preempted.append(victim.request.request_id)
                if victim is sequence:
                    return False
""",
        """\
                return False
""",
    ),
    (
        """\
not self.grow(sequence, num_tokens, preempted):
                break
""",
        """\
not self.grow(sequence, num_tokens, preempted):
                continue
""",
    ),
]
