"""A static batch is full when its prompts fill the pool."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("static_batch_by_worst_cases",),
    file="scheduler.py",
    changes=(
        (
            """\
            if not self.worst_case_fits(sequence.request):
                break
""",
            """\
            batch = [*self.running.values(), sequence]
            if self.allocator is not None and self.allocator.num_blocks < sum(
                -(-s.num_uncomputed_tokens // self.allocator.block_size) for s in batch
            ):
                break
""",
        ),
    ),
)
