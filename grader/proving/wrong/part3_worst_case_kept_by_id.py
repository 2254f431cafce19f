"""The worst case of an id needs to be worked out only once."""

PART = "3"
CAUGHT_BY = ["worst_case_when_an_id_comes_again"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        self.reserved_blocks = 0  #",
        "        self.worst_cases: dict[str, int] = {}\n        self.reserved_blocks = 0  #",
    ),
    (
        "        return -(-max_computed_tokens(request) // self.allocator.block_size)\n",
        "        blocks = -(-max_computed_tokens(request) // self.allocator.block_size)\n        return self.worst_cases.setdefault(request.request_id, blocks)\n",
    ),
]
