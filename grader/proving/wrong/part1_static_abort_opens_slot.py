"""An abort gives the slot away at once, in a static batch too."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_abort_slot_stays_empty",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
""",
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.slot_opened = False
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
            self.stop(request_id)
            self.slot_opened = True
        else:
            self.waiting.pop(request_id, None)
""",
        ),
        (
            """\
        if not self.running:
            self.form_batch()
""",
            """\
        if not self.running or self.slot_opened:
            self.form_batch()
        self.slot_opened = False
""",
        ),
    ),
)
