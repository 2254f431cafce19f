"""Admission handles the first of the queue and then calls itself for the rest."""

PART = "1"
CAUGHT_BY = ["many_requests"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:",
        "        if self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:",
    ),
    (
        "                break\n            self.start(sequence)\n            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
        "                return\n            self.start(sequence)\n            self.compute(sequence, num_tokens)\n            self.admit(budget - num_tokens)",
    ),
]
