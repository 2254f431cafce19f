"""A victim's outputs are kept by id until the id runs again."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_id_taken",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
""",
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
        self.saved_outputs: dict[str, list[int]] = {}
""",
        ),
        (
            """\
        victim.num_computed_tokens = 0
""",
            """\
        victim.num_computed_tokens = 0
        self.saved_outputs[request_id] = victim.output_token_ids
""",
        ),
        (
            """\
        self.waiting[request.request_id] = Sequence(request)
""",
            """\
        outputs = self.saved_outputs.pop(request.request_id, [])
        self.waiting[request.request_id] = Sequence(request, output_token_ids=outputs)
""",
        ),
    ),
)
