"""A sequence can't be its own victim; the last of the others has to go."""

from grader.proving.fault import Fault

FAULT = Fault(
    part="5",
    caught_by=("preempt_self", "preempt_admits_nobody"),
    file="scheduler.py",
    changes=(
        (
            """\
victim = self.preempt()
""",
            """\
victim = self.preempt(sequence)
""",
        ),
        (
            """\
    def preempt(self) -> Sequence:
""",
            """\
    def preempt(self, growing: Sequence) -> Sequence:
""",
        ),
        (
            """\
        request_id = next(reversed(self.running))
""",
            """\
        others = [i for i, sequence in self.running.items() if sequence is not growing]
        request_id = others[-1] if others else growing.request.request_id
""",
        ),
    ),
)
