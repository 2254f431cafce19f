"""Who sets prefill_chunk_size wants chunks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_ignored",),
    file="scheduler.py",
    changes=(
        (
            "(self.config.enable_chunked_prefill and self.config.prefill_chunk_size) or sys.maxsize",
            "self.config.prefill_chunk_size or sys.maxsize",
        ),
    ),
)
