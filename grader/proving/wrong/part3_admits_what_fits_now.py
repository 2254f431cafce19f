"""A sequence can be admitted when there are free blocks for its prompt."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_not_what_fits_now", "worst_case_of_running_sequences"),
    file="scheduler.py",
    changes=(
        (
            """\
        if self.config.kv_policy == "guaranteed_no_evict":
            return self.worst_case_fits(request)
""",
            "",
        ),
    ),
)
