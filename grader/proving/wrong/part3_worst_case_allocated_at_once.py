"""No eviction is guaranteed by taking all blocks of the worst case at admission."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("blocks_taken_as_needed", "static_batch_by_worst_cases"),
    file="scheduler.py",
    changes=(
        (
            """\
            self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens)
        self.scheduled""",
            """\
            self.allocator.allocate(request_id, max_computed_tokens(sequence.request))
        self.scheduled""",
        ),
    ),
)
