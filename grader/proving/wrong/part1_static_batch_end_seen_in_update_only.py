"""A batch ends when its last sequence finishes, so update() is where that is noticed."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("static_abort_of_whole_batch",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
""",
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.batch_is_over = True
""",
        ),
        (
            """\
        if not self.running:
            self.form_batch()
""",
            """\
        if self.batch_is_over:
            self.form_batch()
""",
        ),
        (
            """\
        return finished
""",
            """\
        self.batch_is_over = not self.running
        return finished
""",
        ),
    ),
)
