"""A static batch is everybody who is waiting."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_slot_stays_empty", "static_arrivals_wait"),
    file="scheduler.py",
    changes=(
        (
            """\
while self.waiting and len(self.running) < self.config.max_num_seqs:
""",
            """\
while self.waiting:
""",
        ),
    ),
)
