"""Decodes are scheduled before the prefills that are under way, as in Sarathi-Serve."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_running_order",),
    file="scheduler.py",
    changes=(
        (
            """\
        for request_id, sequence in list(self.running.items()):
""",
            """\
        decodes_first = sorted(self.running.items(), key=lambda item: item[1].num_uncomputed_tokens > 1)
        for request_id, sequence in decodes_first:
""",
        ),
    ),
)
