"""A request can be aborted when a tick has seen it."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("abort_waiting", "abort_of_nobody", "id_comes_again"),
    file="scheduler.py",
    changes=(
        (
            "            self.waiting.pop(request_id, None)\n        # END",
            "            if request_id not in self.fresh:\n                self.waiting.pop(request_id, None)\n        # END",
        ),
        (
            "self.waiting: OrderedDict[str, Sequence] = OrderedDict()",
            "self.waiting: OrderedDict[str, Sequence] = OrderedDict()\n        self.fresh = set()",
        ),
        (
            "        self.waiting[request.request_id] = Sequence(request)",
            "        self.waiting[request.request_id] = Sequence(request)\n        self.fresh.add(request.request_id)",
        ),
        (
            "        finished = []\n        for request_id, num_tokens in self",
            "        self.fresh = set()\n        finished = []\n        for request_id, num_tokens in self",
        ),
    ),
)
