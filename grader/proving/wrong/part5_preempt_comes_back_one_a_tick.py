"""One recomputation a tick is enough."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_front", "preempt_two", "preempt_chunk_needs_two"),
    file="scheduler.py",
    changes=(
        (
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens",
            "            self.compute(sequence, num_tokens)\n            budget -= num_tokens\n            if sequence.output_token_ids:\n                break",
        ),
    ),
)
