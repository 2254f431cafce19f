"""The prompts of a static batch share the token budget."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("static_ignores_other_limits", "door_static"),
    file="scheduler.py",
    changes=(
        (
            """\
            if not self.worst_case_fits(sequence.request):
                break
""",
            """\
            if not self.worst_case_fits(sequence.request):
                break
            num_tokens = sum(s.num_uncomputed_tokens for s in (*self.running.values(), sequence))
            if num_tokens > (self.config.max_num_batched_tokens or sys.maxsize):
                break
""",
        ),
    ),
)
