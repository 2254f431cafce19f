"""In a static batch a worst case is given back when the sequence finishes."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("abort_running_gives_blocks_back",),
    file="scheduler.py",
    changes=(
        (
            "        if request_id in self.running:\n            self.stop(request_id)\n        else",
            "        if request_id in self.running:\n            s = self.stop(request_id)\n            if isinstance(self, StaticScheduler):\n                self.reserved_blocks += self.worst_case_blocks(s.request)\n        else",
        ),
    ),
)
