"""Without a token budget there is nothing to cut."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_per_sequence",),
    file="scheduler.py",
    changes=(
        (
            """\
        return (self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize
""",
            """\
        if self.config.max_num_batched_tokens is None:
            return sys.maxsize
        return (self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize
""",
        ),
    ),
)
