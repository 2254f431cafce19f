"""A running prefill is cut to max_num_batched_tokens, not to what the sequences before it have left."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_longer_than_budget",),
    file="scheduler.py",
    changes=(
        (
            """\
num_tokens = min(num_tokens, budget, chunk_size)
""",
            """\
num_tokens = min(num_tokens, self.config.max_num_batched_tokens or sys.maxsize, chunk_size)
""",
        ),
    ),
)
