"""A victim comes back when nobody else runs, so that it is not evicted again."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_two", "preempt_again", "preempt_chunk_needs_two"),
    file="scheduler.py",
    changes=(
        (
            "            sequence = next(iter(self.waiting.values()))\n            num_tokens = min(sequence.num_uncomputed_tokens, chunk_size)",
            "            sequence = next(iter(self.waiting.values()))\n            if sequence.output_token_ids and self.running:\n                break\n            num_tokens = min(sequence.num_uncomputed_tokens, chunk_size)",
        ),
    ),
)
