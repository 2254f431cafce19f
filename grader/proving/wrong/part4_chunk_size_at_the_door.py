"""Without chunking a prompt longer than prefill_chunk_size can't be computed."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_size_ignored",),
    file="scheduler.py",
    changes=(
        (
            "        super().refuse_too_long(request)",
            "        super().refuse_too_long(request)\n        if not self.config.enable_chunked_prefill and self.config.prefill_chunk_size and len(request.prompt_token_ids) > self.config.prefill_chunk_size:\n            raise RequestTooLong('x')",
        ),
    ),
)
