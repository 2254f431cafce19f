"""A word of 64 bits, one for each slot, tells which ones are free."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("many_requests",),
    file="scheduler.py",
    changes=(
        (
            "while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:",
            "while self.waiting and len(self.running) < min(64, self.config.max_num_seqs) and budget > 0:",
        ),
    ),
)
