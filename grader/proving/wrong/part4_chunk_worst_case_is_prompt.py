"""With chunking it is the prompts whose blocks are reserved, since decodes take theirs later."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_worst_case",),
    file="scheduler.py",
    changes=(
        (
            """\
        return self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks
""",
            """\
        if not self.config.enable_chunked_prefill:
            return self.reserved_blocks + self.worst_case_blocks(request) <= self.allocator.num_blocks
        prompts = [s.request.prompt_token_ids for s in self.running.values()] + [request.prompt_token_ids]
        reserved = sum(-(-len(prompt) // self.allocator.block_size) for prompt in prompts)
        return reserved <= self.allocator.num_blocks
""",
        ),
    ),
)
