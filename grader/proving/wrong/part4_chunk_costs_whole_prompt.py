"""An admitted prompt is charged to the budget as a whole."""

PART = "4"
CAUGHT_BY = ["chunk_several", "chunk_size_and_budget"]
FILE = "scheduler.py"
CHANGES = [
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
]
