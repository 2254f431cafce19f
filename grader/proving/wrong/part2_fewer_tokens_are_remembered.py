"""The request holds as many tokens as the last allocate said."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="2",
    caught_by=("fewer_tokens_add_nothing",),
    file="kv_allocator.py",
    changes=(
        (
            "        num_blocks_held = len(self.block_tables.get(request_id, ()))\n",
            "        self.tok = getattr(self, 'tok', {})\n        num_blocks_held = -(-self.tok.get(request_id, 0) // self.block_size) if request_id in self.block_tables else 0\n",
        ),
        (
            "        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
            "        self.tok[request_id] = num_tokens\n        self.block_tables.setdefault(request_id, []).extend(new_blocks)\n        return new_blocks",
        ),
    ),
)
