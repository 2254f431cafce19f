"""New requests are collected until schedule() puts them into the queue; abort() looks in the queue."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("abort_waiting", "abort_of_nobody", "duplicate_id"),
    file="scheduler.py",
    changes=(
        (
            "self.waiting: OrderedDict[str, Sequence] = OrderedDict()",
            "self.waiting: OrderedDict[str, Sequence] = OrderedDict()\n        self.incoming = []",
        ),
        (
            "        self.waiting[request.request_id] = Sequence(request)",
            "        self.incoming.append(Sequence(request))",
        ),
        (
            "return bool(self.waiting or self.running)",
            "return bool(self.waiting or self.running or self.incoming)\n\n    def take(self):\n        for s in self.incoming:\n            self.waiting[s.request.request_id] = s\n        self.incoming = []",
        ),
        (
            "        if not self.running:\n            self.form_batch()",
            "        self.take()\n        if not self.running:\n            self.form_batch()",
        ),
        (
            "        self.scheduled = {}\n        preempted: list[str] = []",
            "        self.take()\n        self.scheduled = {}\n        preempted: list[str] = []",
        ),
    ),
)
