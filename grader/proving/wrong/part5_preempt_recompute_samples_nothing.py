"""A recomputation only restores the cache; what it samples is known already."""

PART = "5"
CAUGHT_BY = ["preempt_recompute", "preempt_last_admitted"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
            if request_id in sampled:
""",
        """\
            if request_id in sampled and num_tokens > 1 and sequence.output_token_ids:
                sequence.num_computed_tokens -= 1
            elif request_id in sampled:
""",
    ),
]
