"""When nothing is there, schedule() can return at the top, and update() will do nothing."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("idle_ticks",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.scheduled = {}
        preempted: list[str] = []
""",
            """\
        if not self.has_unfinished():
            return Schedule({})
        self.scheduled = {}
        preempted: list[str] = []
""",
        ),
    ),
)
