"""Decodes are scheduled before the prefills that are under way, as in Sarathi-Serve."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_running_order",),
    file="scheduler.py",
    changes=(
        (
            """\
        for sequence in list(self.running.values()):
""",
            """\
        decodes_first = sorted(self.running.values(), key=lambda sequence: sequence.num_uncomputed_tokens > 1)
        for sequence in decodes_first:
""",
        ),
    ),
)
