"""Max_utilization may preempt, but it admits as guaranteed_no_evict does."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_admit_now", "util_admission_blocked", "util_full_pool", "util_abort_running"),
    file="scheduler.py",
    changes=(
        (
            """\
        if self.config.kv_policy == "guaranteed_no_evict":
            return self.worst_case_fits(request)
""",
            """\
        if True:
            return self.worst_case_fits(request)
""",
        ),
    ),
)
