"""New sequences are admitted when the running ones are done."""

PART = "1"
CAUGHT_BY = ["continuous_slot_is_refilled", "continuous_prompts_join_decodes"]
FILE = "scheduler.py"
CHANGES = [
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
]
