"""A static batch is everybody who is waiting."""

PART = "1"
CAUGHT_BY = ["static_slot_stays_empty", "static_arrivals_wait"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
while self.waiting and len(self.running) < self.config.max_num_seqs:
""",
        """\
while self.waiting:
""",
    ),
]
