"""An admitted prompt is charged to the budget as a whole."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_several", "chunk_size_and_budget"),
    file="scheduler.py",
    changes=(
        (
            """\
            self.compute(sequence, num_tokens)
            budget -= num_tokens
""",
            """\
            self.compute(sequence, num_tokens)
            budget -= sequence.num_uncomputed_tokens
""",
        ),
    ),
)
