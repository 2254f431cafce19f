"""With chunking the worst case must fit, under every policy."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_door_chunked", "preempt_admits_nobody", "preempt_chunk_needs_two"),
    file="scheduler.py",
    changes=(
        (
            '        if self.config.kv_policy == "guaranteed_no_evict":\n            return self.worst_case_fits(request)',
            '        if self.config.kv_policy == "guaranteed_no_evict" or self.config.enable_chunked_prefill:\n            return self.worst_case_fits(request)',
        ),
    ),
)
