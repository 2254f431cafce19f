"""A victim goes on where it stopped: what it has computed stays computed."""

PART = "5"
CAUGHT_BY = ["preempt_recompute", "preempt_last_admitted"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        victim.num_computed_tokens = 0
""",
        "",
    ),
]
