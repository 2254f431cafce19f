"""A preemption means that there are too many slots, so one is closed."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_front", "preempt_abort_waiting", "preempt_admits_nobody"),
    file="scheduler.py",
    changes=(
        (
            "while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:",
            "while self.waiting and len(self.running) < max(1, self.config.max_num_seqs - getattr(self, 'lost', 0)) and budget > 0:",
        ),
        (
            "        victim.num_computed_tokens = 0\n",
            "        victim.num_computed_tokens = 0\n        self.lost = getattr(self, 'lost', 0) + 1\n",
        ),
    ),
)
