"""A set of aborted ids tells whom to drop, whenever they come."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("id_comes_again",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
""",
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.hung_up: set[str] = set()
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
        self.hung_up.add(request_id)
        if request_id in self.running:
            self.stop(request_id)
        else:
            self.waiting.pop(request_id, None)
""",
        ),
        (
            """\
        self.waiting[request.request_id] = Sequence(request)
""",
            """\
        if request.request_id not in self.hung_up:
            self.waiting[request.request_id] = Sequence(request)
""",
        ),
    ),
)
