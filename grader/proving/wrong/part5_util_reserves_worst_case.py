"""Max_utilization may preempt, but it admits as guaranteed_no_evict does."""

PART = "5"
CAUGHT_BY = ["util_admit_now", "util_admission_blocked", "util_full_pool", "util_abort_running"]
FILE = "scheduler.py"
CHANGES = [
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
]
