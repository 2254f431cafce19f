"""The id of a finished request is free again when the next tick is over."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("id_comes_again",),
    file="scheduler.py",
    changes=(
        (
            "self.waiting: OrderedDict[str, Sequence] = OrderedDict()",
            "self.waiting: OrderedDict[str, Sequence] = OrderedDict()\n        self.gone = set()",
        ),
        (
            "if request.request_id in self.waiting or request.request_id in self.running:",
            "if request.request_id in self.gone or request.request_id in self.waiting or request.request_id in self.running:",
        ),
        (
            "        finished = []\n        for request_id, num_tokens in self",
            "        self.gone = set()\n        finished = []\n        for request_id, num_tokens in self",
        ),
        (
            "                    finished.append(request_id)\n",
            "                    finished.append(request_id)\n                    self.gone.add(request_id)\n",
        ),
    ),
)
