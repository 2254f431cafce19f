"""Sequences are admitted when enough are waiting to fill all free slots."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_fills_all_free_slots", "continuous_prompts_join_decodes"),
    file="scheduler.py",
    changes=(
        (
            "        if not preempted:\n            self.admit(budget)",
            "        if not preempted and (not self.running or len(self.waiting) >= self.config.max_num_seqs - len(self.running)):\n            self.admit(budget)",
        ),
    ),
)
