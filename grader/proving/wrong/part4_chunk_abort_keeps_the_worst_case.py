"""The worst case of a sequence counts from its first token on, so an abort before takes nothing off."""

PART = "4"
CAUGHT_BY = ["chunk_abort_middle"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        if request_id in self.running:\n            self.stop(request_id)\n        else",
        "        if request_id in self.running:\n            s = self.stop(request_id)\n            if not s.output_token_ids:\n                self.reserved_blocks += self.worst_case_blocks(s.request)\n        else",
    ),
]
