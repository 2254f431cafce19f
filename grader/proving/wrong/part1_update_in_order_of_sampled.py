"""The sampled tokens come in the order in which the sequences were scheduled."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("update_order",),
    file="scheduler.py",
    changes=(
        (
            """\
        return finished
""",
            """\
        return [request_id for request_id in sampled if request_id in finished]
""",
        ),
    ),
)
