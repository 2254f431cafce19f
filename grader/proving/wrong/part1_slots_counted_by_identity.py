"""Slots are free as long as the number of running sequences is not max_num_seqs: `is not` says so."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("random_static_slots", "random_continuous_slots"),
    file="scheduler.py",
    changes=(
        (
            "while self.waiting and len(self.running) < self.config.max_num_seqs:",
            "while self.waiting and len(self.running) is not self.config.max_num_seqs:",
        ),
        (
            "while self.waiting and len(self.running) < self.config.max_num_seqs and",
            "while self.waiting and len(self.running) is not self.config.max_num_seqs and",
        ),
    ),
)
