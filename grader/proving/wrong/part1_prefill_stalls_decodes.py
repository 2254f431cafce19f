"""A tick is either a prefill or a decode."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_prompts_join_decodes",),
    file="scheduler.py",
    changes=(
        (
            """\
        budget = self.schedule_running(self.config.max_num_batched_tokens or sys.maxsize, preempted)
""",
            """\
        budget = self.config.max_num_batched_tokens or sys.maxsize
        if not (
            len(self.running) < self.config.max_num_seqs
            and any(len(s.request.prompt_token_ids) > 1 for s in self.waiting.values())
        ):
            budget = self.schedule_running(budget, preempted)
""",
        ),
    ),
)
