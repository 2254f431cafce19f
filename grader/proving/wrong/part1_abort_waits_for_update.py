"""Abort() makes a note, and update() cleans up after the tick."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("abort_running",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
""",
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.hung_up: list[str] = []
""",
        ),
        (
            """\
        if request_id in self.running:
            self.stop(request_id)
        else:
            self.waiting.pop(request_id, None)
""",
            """\
        if request_id in self.running:
            self.hung_up.append(request_id)
        else:
            self.waiting.pop(request_id, None)
""",
        ),
        (
            """\
        return finished
""",
            """\
        for request_id in self.hung_up:
            self.running.pop(request_id, None)
        self.hung_up = []
        return finished
""",
        ),
    ),
)
