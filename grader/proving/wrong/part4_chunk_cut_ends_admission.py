"""When a prompt was cut, the tick is full."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_per_sequence", "chunk_size_and_budget", "chunk_several"),
    file="scheduler.py",
    changes=(
        (
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens\n            if num_tokens < sequence.num_uncomputed_tokens:\n                break",
        ),
    ),
)
