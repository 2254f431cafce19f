"""If the blocks of the first of the queue are not free, somebody smaller behind it can use what is."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_admission_blocked", "preempt_front"),
    file="scheduler.py",
    changes=(
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
    ),
)
