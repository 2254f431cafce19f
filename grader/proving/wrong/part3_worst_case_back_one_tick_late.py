"""The sum of worst cases is brought up to date at the end of schedule()."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("blocks_last_token_needs_none", "block_sizes", "worst_case_not_what_fits_now"),
    file="scheduler.py",
    changes=(
        (
            "        self.reserved_blocks -= self.worst_case_blocks(sequence.request)\n",
            "        self.late = getattr(self, 'late', 0) + self.worst_case_blocks(sequence.request)\n",
        ),
        (
            "        if not preempted:\n            self.admit(budget)\n",
            "        if not preempted:\n            self.admit(budget)\n        self.reserved_blocks -= getattr(self, 'late', 0)\n        self.late = 0\n",
        ),
    ),
)
