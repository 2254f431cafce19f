"""`preempted` names the victim of this boundary."""

PART = "5"
CAUGHT_BY = ["preempt_two", "preempt_chunk_needs_two"]
FILE = "scheduler.py"
CHANGES = [
    (
        "tuple(preempted))",
        "tuple(preempted[-1:]))",
    ),
]
