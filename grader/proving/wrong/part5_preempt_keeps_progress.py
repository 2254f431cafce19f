"""A victim goes on where it stopped: what it has computed stays computed."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_recompute", "preempt_last_admitted"),
    file="scheduler.py",
    changes=(
        (
            """\
        victim.num_computed_tokens = 0
""",
            "",
        ),
    ),
)
