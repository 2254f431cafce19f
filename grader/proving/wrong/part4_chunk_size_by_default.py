"""Without prefill_chunk_size a chunk has 512 tokens."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_no_limits",),
    file="scheduler.py",
    changes=(
        (
            "        return (self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize",
            "        return (self.config.prefill_chunk_size or 512) if self.config.enable_chunked_prefill else sys.maxsize",
        ),
    ),
)
