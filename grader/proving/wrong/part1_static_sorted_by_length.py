"""Within a static batch the longest prompt stands first."""

PART = "1"
CAUGHT_BY = ["static_prompts"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        for sequence in self.running.values():\n            self.compute(sequence, sequence.num_uncomputed_tokens)",
        "        for sequence in sorted(self.running.values(), key=lambda s: -len(s.request.prompt_token_ids)):\n            self.compute(sequence, sequence.num_uncomputed_tokens)",
    ),
]
