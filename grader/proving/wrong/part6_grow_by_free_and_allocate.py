"""To grow, a sequence gives its blocks back and takes as many as it needs now."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="6-cpu",
    caught_by=("model_chunks", "model_preemption", "model_block_sizes", "model_stories"),
    file="scheduler.py",
    changes=(
        (
            """\
            try:
                self.allocator.allocate(sequence.request.request_id, sequence.num_computed_tokens + num_tokens)
""",
            """\
            try:
                request_id = sequence.request.request_id
                if self.allocator.can_allocate(request_id, sequence.num_computed_tokens + num_tokens):
                    if self.allocator.block_table(request_id):
                        self.allocator.free(request_id)
                self.allocator.allocate(request_id, sequence.num_computed_tokens + num_tokens)
""",
        ),
    ),
)
