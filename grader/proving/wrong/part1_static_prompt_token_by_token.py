"""Every sequence computes one token a tick, its prompt included."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_prompts",),
    file="scheduler.py",
    changes=(
        (
            "self.compute(sequence, sequence.num_uncomputed_tokens)",
            "self.compute(sequence, 1)",
        ),
    ),
)
