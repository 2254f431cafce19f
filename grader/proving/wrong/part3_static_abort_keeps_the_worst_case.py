"""In a static batch a worst case is given back when the sequence finishes."""

PART = "3"
CAUGHT_BY = ["abort_running_gives_blocks_back"]
FILE = "scheduler.py"
CHANGES = [
    (
        "        if request_id in self.running:\n            self.stop(request_id)\n        else",
        "        if request_id in self.running:\n            s = self.stop(request_id)\n            if isinstance(self, StaticScheduler):\n                self.reserved_blocks += self.worst_case_blocks(s.request)\n        else",
    ),
]
