"""A victim that has generated nothing yet has nothing to abort."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("random_preemption_with_chunks", "both_files_together"),
    file="scheduler.py",
    changes=(
        (
            "            self.waiting.pop(request_id, None)\n        # END",
            "            if request_id not in getattr(self, 'ev', {}) or self.waiting.get(request_id, None) is None or self.waiting[request_id].output_token_ids:\n                self.waiting.pop(request_id, None)\n        # END",
        ),
        (
            "        victim.num_computed_tokens = 0\n",
            "        victim.num_computed_tokens = 0\n        self.ev = getattr(self, 'ev', {})\n        self.ev[request_id] = 1\n",
        ),
    ),
)
