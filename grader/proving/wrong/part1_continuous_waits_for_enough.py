"""Sequences are admitted when enough are waiting to fill all free slots."""

PART = "1"
CAUGHT_BY = ["continuous_fills_all_free_slots", "continuous_prompts_join_decodes"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        if not preempted:\n            self.admit(budget)",
        "        if not preempted and (not self.running or len(self.waiting) >= self.config.max_num_seqs - len(self.running)):\n            self.admit(budget)",
    ),
]
