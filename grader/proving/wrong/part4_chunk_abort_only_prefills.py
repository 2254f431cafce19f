"""With chunking an abort looks among the waiting requests and the unfinished prefills."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_abort_after_last",),
    file="scheduler.py",
    changes=(
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
    ),
)
