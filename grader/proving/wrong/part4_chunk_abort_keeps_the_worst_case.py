"""The worst case of a sequence counts from its first token on, so an abort before takes nothing off."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="4",
    caught_by=("chunk_abort_middle",),
    file="scheduler.py",
    changes=(
        (
            "        if request_id in self.running:\n            self.stop(request_id)\n        else",
            "        if request_id in self.running:\n            s = self.stop(request_id)\n            if not s.output_token_ids:\n                self.reserved_blocks += self.worst_case_blocks(s.request)\n        else",
        ),
    ),
)
