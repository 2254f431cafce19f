"""Both schedulers refuse a prompt that exceeds the token budget."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_static",),
    file="scheduler.py",
    changes=(
        (
            """\
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
            """\
        budget = self.config.max_num_batched_tokens or sys.maxsize
        if len(request.prompt_token_ids) > budget and not self.config.enable_chunked_prefill:
            raise RequestTooLong(f"request {request.request_id} exceeds the token budget")
        if self.allocator is not None and self.worst_case_blocks(request) > self.allocator.num_blocks:
""",
        ),
    ),
)
