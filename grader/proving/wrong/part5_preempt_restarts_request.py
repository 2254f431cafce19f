"""A victim loses all that it had and starts as if it were new."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_recompute", "preempt_last_admitted", "preempt_eos", "preempt_recompute_chunks"),
    file="scheduler.py",
    changes=(
        (
            """\
        victim.num_computed_tokens = 0
""",
            """\
        victim.num_computed_tokens = 0
        victim.output_token_ids.clear()
""",
        ),
    ),
)
