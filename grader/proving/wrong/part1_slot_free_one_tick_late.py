"""The slots that the last tick used are taken until schedule() has cleaned up."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_slot_is_refilled",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
""",
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.num_just_left = 0
""",
        ),
        (
            """\
        return finished
""",
            """\
        self.num_just_left = len(finished)
        return finished
""",
        ),
        (
            """\
len(self.running) < self.config.max_num_seqs and budget > 0:
""",
            """\
len(self.running) + self.num_just_left < self.config.max_num_seqs and budget > 0:
""",
        ),
    ),
)
