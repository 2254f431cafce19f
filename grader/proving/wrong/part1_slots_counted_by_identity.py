"""Slots are free as long as the number of running sequences is not max_num_seqs: `is not` says so."""

PART = "1"
CAUGHT_BY = ["random_static_slots", "random_continuous_slots"]
FILE = "scheduler.py"
CHANGES = [
    (
        "while self.waiting and len(self.running) < self.config.max_num_seqs:",
        "while self.waiting and len(self.running) is not self.config.max_num_seqs:",
    ),
    (
        "while self.waiting and len(self.running) < self.config.max_num_seqs and",
        "while self.waiting and len(self.running) is not self.config.max_num_seqs and",
    ),
]
