"""A recomputation only restores the cache; what it samples is known already."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_recompute", "preempt_last_admitted"),
    file="scheduler.py",
    changes=(
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
    ),
)
