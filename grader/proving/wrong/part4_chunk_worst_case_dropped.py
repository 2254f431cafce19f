"""With chunking a sequence needs the blocks of its next chunk only, so that is what must fit."""

PART = "4"
CAUGHT_BY = ["chunk_worst_case", "chunk_abort_middle"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
if self.config.kv_policy == "guaranteed_no_evict":
""",
        """\
if self.config.kv_policy == "guaranteed_no_evict" and not self.config.enable_chunked_prefill:
""",
    ),
]
