"""Who lacks a block to grow waits a tick until somebody gives one back."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_self", "preempt_last_admitted", "preempt_recompute"),
    file="scheduler.py",
    changes=(
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
    ),
)
