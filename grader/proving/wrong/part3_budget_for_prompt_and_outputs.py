"""A sequence needs budget for its prompt and all its outputs when it is admitted."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("token_budget_filled_exactly",),
    file="scheduler.py",
    changes=(
        (
            """\
            if num_tokens > budget or not self.can_admit(sequence.request, num_tokens):
""",
            """\
            worst_case = max_computed_tokens(sequence.request)
            too_long = num_tokens > budget if self.config.enable_chunked_prefill else worst_case > budget
            if too_long or not self.can_admit(sequence.request, num_tokens):
""",
        ),
    ),
)
