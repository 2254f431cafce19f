"""Abort() marks the entry in the queue; a new request with the id takes the entry over."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("id_comes_again",),
    file="scheduler.py",
    changes=(
        (
            "self.waiting: OrderedDict[str, Sequence] = OrderedDict()",
            "self.waiting: OrderedDict[str, Sequence] = OrderedDict()\n        self.dropped = set()",
        ),
        (
            "if request.request_id in self.waiting or request.request_id in self.running:",
            "if (request.request_id in self.waiting or request.request_id in self.running) and request.request_id not in self.dropped:",
        ),
        (
            "        self.waiting[request.request_id] = Sequence(request)",
            "        if request.request_id in self.running:\n            self.stop(request.request_id)\n        self.dropped.discard(request.request_id)\n        self.waiting[request.request_id] = Sequence(request)",
        ),
        (
            "        if request_id in self.running:\n            self.stop(request_id)\n        else:\n            self.waiting.pop(request_id, None)",
            "        if request_id in self.running:\n            self.stop(request_id)\n        elif request_id in self.waiting:\n            self.dropped.add(request_id)",
        ),
        (
            "return bool(self.waiting or self.running)",
            "return any(i not in self.dropped for i in self.waiting) or bool(self.running)\n\n    def clean(self):\n        for i in self.dropped:\n            self.waiting.pop(i, None)\n        self.dropped = set()",
        ),
        (
            "        if not self.running:\n            self.form_batch()",
            "        self.clean()\n        if not self.running:\n            self.form_batch()",
        ),
        (
            "        self.scheduled = {}\n        preempted: list[str] = []",
            "        self.clean()\n        self.scheduled = {}\n        preempted: list[str] = []",
        ),
    ),
)
