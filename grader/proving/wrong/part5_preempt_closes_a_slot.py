"""A preemption means that there are too many slots, so one is closed."""

PART = "5"
CAUGHT_BY = ["preempt_front", "preempt_abort_waiting", "preempt_admits_nobody"]
FILE = "scheduler.py"
CHANGES = [
    (
        "while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:",
        "while self.waiting and len(self.running) < max(1, self.config.max_num_seqs - getattr(self, 'lost', 0)) and budget > 0:",
    ),
    (
        "        victim.num_computed_tokens = 0\n",
        "        victim.num_computed_tokens = 0\n        self.lost = getattr(self, 'lost', 0) + 1\n",
    ),
]
