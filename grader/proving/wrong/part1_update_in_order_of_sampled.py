"""The sampled tokens come in the order in which the sequences were scheduled."""

PART = "1"
CAUGHT_BY = ["update_order"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        return finished
""",
        """\
        return [request_id for request_id in sampled if request_id in finished]
""",
    ),
]
