"""If the blocks of the first of the queue are not free, somebody smaller behind it can use what is."""

PART = "5"
CAUGHT_BY = ["util_admission_blocked", "preempt_front"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        while self.waiting and len(self.running) < self.config.max_num_seqs and budget > 0:
            sequence = next(iter(self.waiting.values()))
""",
        """\
        for sequence in list(self.waiting.values()):
            if len(self.running) == self.config.max_num_seqs or budget <= 0:
                break
""",
    ),
    (
        """\
            if num_tokens > budget or not self.can_admit(sequence.request, num_tokens):
                break
""",
        """\
            if num_tokens > budget or not self.can_admit(sequence.request, num_tokens):
                if num_tokens <= budget and self.config.kv_policy == "max_utilization":
                    continue
                break
""",
    ),
]
