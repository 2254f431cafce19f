"""The worst case of an id needs to be worked out only once."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("worst_case_when_an_id_comes_again",),
    file="scheduler.py",
    changes=(
        (
            "        self.reserved_blocks = 0  #",
            "        self.worst_cases: dict[str, int] = {}\n        self.reserved_blocks = 0  #",
        ),
        (
            "        return -(-max_computed_tokens(request) // self.allocator.block_size)\n",
            "        blocks = -(-max_computed_tokens(request) // self.allocator.block_size)\n        return self.worst_cases.setdefault(request.request_id, blocks)\n",
        ),
    ),
)
