"""Both schedulers refuse a prompt that exceeds the token budget."""

PART = "3"
CAUGHT_BY = ["door_static"]
FILE = "scheduler.py"
CHANGES = [
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
]
