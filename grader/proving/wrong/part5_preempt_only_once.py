"""A sequence that was preempted once is spared the next time."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_again", "preempt_in_recompute"),
    file="scheduler.py",
    changes=(
        (
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
""",
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
        self.spared: set[str] = set()
""",
        ),
        (
            """\
        request_id = next(reversed(self.running))
""",
            """\
        candidates = [i for i in self.running if i not in self.spared] or list(self.running)
        request_id = candidates[-1]
        self.spared.add(request_id)
""",
        ),
    ),
)
