"""A batch is done when as many sequences have finished as were started."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_abort_slot_stays_empty", "static_abort_of_whole_batch"),
    file="scheduler.py",
    changes=(
        (
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
""",
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.num_left = 0
""",
        ),
        (
            """\
        if not self.running:
            self.form_batch()
""",
            """\
        if self.num_left == 0:
            self.form_batch()
            self.num_left = len(self.running)
""",
        ),
        (
            """\
                    finished.append(request_id)
""",
            """\
                    finished.append(request_id)
                    self.num_left -= 1
""",
        ),
    ),
)
