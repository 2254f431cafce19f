"""Only the slots limit a static batch."""

PART = "3"
CAUGHT_BY = ["static_batch_by_worst_cases", "static_batch_ends_at_first_misfit"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            if not self.worst_case_fits(sequence.request):
                break
""",
        "",
    ),
]
