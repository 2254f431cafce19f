"""A victim loses all that it had and starts as if it were new."""

PART = "5"
CAUGHT_BY = ["preempt_recompute", "preempt_last_admitted", "preempt_eos", "preempt_recompute_chunks"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        victim.num_computed_tokens = 0
""",
        """\
        victim.num_computed_tokens = 0
        victim.output_token_ids.clear()
""",
    ),
]
