"""A sequence can be admitted when there are free blocks for its prompt."""

PART = "3"
CAUGHT_BY = ["worst_case_not_what_fits_now", "worst_case_of_running_sequences"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if self.config.kv_policy == "guaranteed_no_evict":
            return self.worst_case_fits(request)
""",
        "",
    ),
]
