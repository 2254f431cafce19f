"""An id that was refused once counts as known."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="3",
    caught_by=("door_refused_leaves_nothing",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
""",
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
        self.known: set[str] = set()
""",
        ),
        (
            """\
        if request.request_id in self.waiting or request.request_id in self.running:
""",
            """\
        if request.request_id in self.known:
""",
        ),
        (
            """\
        self.refuse_too_long(request)
        self.waiting[request.request_id] = Sequence(request)
""",
            """\
        self.known.add(request.request_id)
        self.refuse_too_long(request)
        self.waiting[request.request_id] = Sequence(request)
""",
        ),
        (
            """\
            self.waiting.pop(request_id, None)
""",
            """\
            if self.waiting.pop(request_id, None) is not None:
                self.known.discard(request_id)
""",
        ),
        (
            """\
        sequence = self.running.pop(request_id)
""",
            """\
        sequence = self.running.pop(request_id)
        self.known.discard(request_id)
""",
        ),
    ),
)
