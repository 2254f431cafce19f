"""The pool has room for num_blocks * block_size tokens, whoever they belong to."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("tokens_fill_whole_blocks",),
    file="kv_allocator.py",
    changes=(
        (
            """\
        self.block_tables: dict[str, list[int]] = {}
""",
            """\
        self.block_tables: dict[str, list[int]] = {}
        self.num_tokens: dict[str, int] = {}
""",
        ),
        (
            """\
        return self.blocks_needed(request_id, num_tokens) <= self.num_free_blocks
""",
            """\
        others = sum(n for name, n in self.num_tokens.items() if name != request_id)
        self.blocks_needed(request_id, num_tokens)
        return others + num_tokens <= self.num_blocks * self.block_size
""",
        ),
        (
            """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
""",
            """\
        self.block_tables.setdefault(request_id, []).extend(new_blocks)
        known = self.num_tokens.get(request_id, 0)
        self.num_tokens[request_id] = max(num_tokens, known)
""",
        ),
        (
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
""",
            """\
        self.free_blocks.extend(self.block_tables.pop(request_id))
        del self.num_tokens[request_id]
""",
        ),
    ),
)
