"""A sequence that was preempted holds no blocks, so there is nothing to free when it is aborted."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_abort_recomputing",),
    file="scheduler.py",
    changes=(
        (
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
""",
            """\
        self.reserved_blocks = 0  # sum of the running sequences' worst cases
        self.victims: set[str] = set()
""",
        ),
        (
            """\
        victim.num_computed_tokens = 0
""",
            """\
        victim.num_computed_tokens = 0
        self.victims.add(request_id)
""",
        ),
        (
            """\
        if request_id in self.running:
            self.stop(request_id)
""",
            """\
        if request_id in self.running and request_id in self.victims:
            del self.running[request_id]
        elif request_id in self.running:
            self.stop(request_id)
""",
        ),
    ),
)
