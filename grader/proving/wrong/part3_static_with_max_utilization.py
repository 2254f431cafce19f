"""Under max_utilization a static batch takes what fits now."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("static_ignores_other_limits",),
    file="scheduler.py",
    changes=(
        (
            """\
            if not self.worst_case_fits(sequence.request):
                break
""",
            """\
            batch = [*self.running.values(), sequence]
            if self.allocator is not None and self.config.kv_policy == "max_utilization":
                size = self.allocator.block_size
                if sum(-(-s.num_uncomputed_tokens // size) for s in batch) > self.allocator.num_blocks:
                    break
            elif not self.worst_case_fits(sequence.request):
                break
""",
        ),
    ),
)
