"""Who arrives while a slot is free gets that slot at once."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="1",
    caught_by=("continuous_first_come_first_served",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
""",
            """\
        self.scheduled: dict[str, int] = {}  # this tick's decision, for update()
        self.at_once: list[str] = []
""",
        ),
        (
            """\
        self.waiting[request.request_id] = Sequence(request)
""",
            """\
        self.waiting[request.request_id] = Sequence(request)
        if len(self.running) + len(self.at_once) < self.config.max_num_seqs:
            self.at_once.append(request.request_id)
""",
        ),
        (
            """\
            sequence = next(iter(self.waiting.values()))
            num_tokens = min(sequence.num_uncomputed_tokens""",
            """\
            at_once = [name for name in self.at_once if name in self.waiting]
            sequence = self.waiting[at_once[0]] if at_once else next(iter(self.waiting.values()))
            num_tokens = min(sequence.num_uncomputed_tokens""",
        ),
        (
            """\
        if not preempted:
            self.admit(budget)
""",
            """\
        if not preempted:
            self.admit(budget)
        self.at_once = []
""",
        ),
    ),
)
