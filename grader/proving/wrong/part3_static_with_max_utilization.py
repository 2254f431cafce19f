"""Under max_utilization a static batch takes what fits now."""

PART = "3"
CAUGHT_BY = ["static_ignores_other_limits"]
FILE = "scheduler.py"
CHANGES = [
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
]
