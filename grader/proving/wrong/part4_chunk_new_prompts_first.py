"""Decodes first, then new prompts, so that they start early; the rest of an old prompt gets what is left."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_before_queue", "chunk_mixed"),
    file="scheduler.py",
    changes=(
        (
            """\
        budget = self.schedule_running(self.config.max_num_batched_tokens or sys.maxsize, preempted)
        if not preempted:
            self.admit(budget)
""",
            """\
        budget = self.config.max_num_batched_tokens or sys.maxsize
        running = list(self.running.values())
        self.turn = [s for s in running if s.num_computed_tokens >= len(s.request.prompt_token_ids)]
        budget = self.schedule_running(budget, preempted)
        if not preempted:
            self.admit(budget)
        budget = self.config.max_num_batched_tokens or sys.maxsize
        self.turn = [s for s in running if s.num_computed_tokens < len(s.request.prompt_token_ids)]
        self.schedule_running(budget - sum(self.scheduled.values()), preempted)
""",
        ),
        (
            """\
        for sequence in list(self.running.values()):
""",
            """\
        for sequence in self.turn:
""",
        ),
    ),
)
