"""A new sequence takes the place of the one that left, and places are scheduled in order."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_order_of_admission",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
""",
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.slots: list[str | None] = [None] * config.max_num_seqs
""",
        ),
        (
            """\
        if not preempted:
            self.admit(budget)
""",
            """\
        if not preempted:
            self.admit(budget)
        self.slots = [name if name in self.running else None for name in self.slots]
        for name in self.running:
            if name not in self.slots:
                self.slots[self.slots.index(None)] = name
        ran = self.scheduled
        self.scheduled = {name: ran[name] for name in self.slots if name in ran}
""",
        ),
    ),
)
