"""The worst case is the prompt's blocks and the outputs' blocks."""

PART = "3"
CAUGHT_BY = ["blocks_last_token_needs_none", "block_sizes", "worst_case_pool_exactly_full"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        return -(-max_computed_tokens(request) // self.allocator.block_size)",
        "        b = self.allocator.block_size\n        return -(-len(request.prompt_token_ids) // b) + -(-(request.max_tokens - 1) // b)",
    ),
]
