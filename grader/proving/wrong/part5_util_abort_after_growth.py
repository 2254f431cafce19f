"""Under max_utilization an aborted sequence is dropped when the running ones have taken what they need."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("util_abort_running",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
""",
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
        self.to_drop: list[str] = []
""",
        ),
        (
            """\
        if request_id in self.running:
            self.stop(request_id)
""",
            """\
        if request_id in self.running and self.config.kv_policy == "max_utilization":
            self.to_drop.append(request_id)
        elif request_id in self.running:
            self.stop(request_id)
""",
        ),
        (
            """\
        if not preempted:
            self.admit(budget)
""",
            """\
        for request_id in self.to_drop:
            self.waiting.pop(request_id, None)
            self.scheduled.pop(request_id, None)
            if request_id in self.running:
                self.stop(request_id)
        self.to_drop = []
        if not preempted:
            self.admit(budget)
""",
        ),
    ),
)
