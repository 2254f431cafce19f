"""The worst case is the prompt's blocks and the outputs' blocks."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("blocks_last_token_needs_none", "block_sizes", "worst_case_pool_exactly_full"),
    file="scheduler.py",
    changes=(
        (
            "        return -(-max_computed_tokens(request) // self.allocator.block_size)",
            "        b = self.allocator.block_size\n        return -(-len(request.prompt_token_ids) // b) + -(-(request.max_tokens - 1) // b)",
        ),
    ),
)
