"""A victim's generated tokens are kept under its id until a request of that id is there again."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_id_comes_again",),
    file="scheduler.py",
    changes=(
        (
            "        self.reserved_blocks = 0  #",
            "        self.kept: dict[str, list[int]] = {}\n        self.reserved_blocks = 0  #",
        ),
        ("= Sequence(request)\n", "= Sequence(request, 0, list(self.kept.get(request.request_id, [])))\n"),
        (
            "        victim.num_computed_tokens = 0\n",
            "        victim.num_computed_tokens = 0\n        self.kept[request_id] = list(victim.output_token_ids)\n",
        ),
    ),
)
