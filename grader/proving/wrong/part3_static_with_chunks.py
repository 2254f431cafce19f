"""Where chunked prefill is on, static batching computes prompts in chunks, too."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("static_ignores_other_limits",),
    file="scheduler.py",
    changes=(
        (
            """\
            self.compute(sequence, sequence.num_uncomputed_tokens)
""",
            """\
            chunk_size = (self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize
            self.compute(sequence, min(sequence.num_uncomputed_tokens, chunk_size))
""",
        ),
    ),
)
