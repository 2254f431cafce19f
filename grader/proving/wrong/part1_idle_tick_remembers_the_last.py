"""When nothing is there, schedule() can return at the top, and update() will do nothing."""

PART = "1"
CAUGHT_BY = ["idle_ticks"]
FILE = "scheduler.py"
CHANGES = [
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
]
