"""Every id comes once."""

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
        self.seen: set[str] = set()
""",
        ),
        (
            """\
        if request.request_id in self.waiting or request.request_id in self.running:
""",
            """\
        if request.request_id in self.seen:
""",
        ),
        (
            """\
        self.waiting[request.request_id] = Sequence(request)
""",
            """\
        self.waiting[request.request_id] = Sequence(request)
        self.seen.add(request.request_id)
""",
        ),
    ),
)
