"""One victim frees enough for one sequence to grow; otherwise the sequence waits a tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_chunk_needs_two",),
    file="scheduler.py",
    changes=(
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
    ),
)
