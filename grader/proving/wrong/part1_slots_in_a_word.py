"""A word of 64 bits, one for each slot, tells which ones are free."""

PART = "1"
CAUGHT_BY = ["many_requests"]
FILE = "scheduler.py"
CHANGES = [
    (
        "while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:",
        "while self.waiting and len(self.running) < min(64, self.config.max_num_seqs) and budget > 0:",
    ),
]
