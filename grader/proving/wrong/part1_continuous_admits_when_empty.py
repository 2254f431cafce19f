"""New sequences are admitted when the running ones are done."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_slot_is_refilled", "continuous_prompts_join_decodes"),
    file="scheduler.py",
    changes=(
        (
            """\
        if not preempted:
            self.admit(budget)
""",
            """\
        if not preempted and not self.running:
            self.admit(budget)
""",
        ),
    ),
)
