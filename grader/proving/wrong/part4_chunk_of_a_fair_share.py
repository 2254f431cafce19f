"""The prompts of a tick share the budget equally."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_and_budget",),
    file="scheduler.py",
    changes=(
        (
            "                num_tokens = min(num_tokens, budget)\n            if num_tokens > budget",
            "                num_tokens = min(num_tokens, max(1, budget // min(len(self.waiting), self.config.max_num_seqs - len(self.running))))\n            if num_tokens > budget",
        ),
    ),
)
