"""With chunking an abort looks among the waiting requests and the unfinished prefills."""

PART = "4"
CAUGHT_BY = ["chunk_abort_after_last"]
FILE = "scheduler.py"
CHANGES = [
    (
        """\
        if request_id in self.running:
            self.stop(request_id)
        else:
""",
        """\
        if request_id in self.running:
            if not self.config.enable_chunked_prefill or not self.running[request_id].output_token_ids:
                self.stop(request_id)
        else:
""",
    ),
]
