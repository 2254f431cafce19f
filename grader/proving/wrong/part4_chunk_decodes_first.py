"""Decodes are scheduled before the prefills that are under way, as in Sarathi-Serve."""

PART = "4"
CAUGHT_BY = ["chunk_running_order"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        for request_id, sequence in list(self.running.items()):
""",
        """\
        decodes_first = sorted(self.running.items(), key=lambda item: item[1].num_uncomputed_tokens > 1)
        for request_id, sequence in decodes_first:
""",
    ),
]
