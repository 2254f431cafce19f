"""Only the slots limit a static batch."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("static_batch_by_worst_cases", "static_batch_ends_at_first_misfit"),
    file="scheduler.py",
    changes=(
        (
            """\
            if not self.worst_case_fits(sequence.request):
                break
""",
            "",
        ),
    ),
)
