"""The slots that the last tick used are taken until schedule() has cleaned up."""

PART = "1"
CAUGHT_BY = ["continuous_slot_is_refilled"]
FILE = "scheduler.py"
CHANGES = [
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
]
