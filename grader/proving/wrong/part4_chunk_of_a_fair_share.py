"""The prompts of a tick share the budget equally."""

PART = "4"
CAUGHT_BY = ["chunk_size_and_budget"]
FILE = "scheduler.py"
CHANGES = [
    (
        "                num_tokens = min(num_tokens, budget)\n            if num_tokens > budget",
        "                num_tokens = min(num_tokens, max(1, budget // min(len(self.waiting), self.config.max_num_seqs - len(self.running))))\n            if num_tokens > budget",
    ),
]
