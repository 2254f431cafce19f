"""With chunking a sequence needs the blocks of its next chunk only, so that is what must fit."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_worst_case", "chunk_abort_middle"),
    file="scheduler.py",
    changes=(
        (
            """\
if self.config.kv_policy == "guaranteed_no_evict":
""",
            """\
if self.config.kv_policy == "guaranteed_no_evict" and not self.config.enable_chunked_prefill:
""",
        ),
    ),
)
