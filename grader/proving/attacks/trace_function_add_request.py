"""A trace function lets the calling test jump over its own checks."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="sys.settrace and setprofile",
    where="add_request",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="import sys",
        add_request="""
            def jump(frame, event, argument):
                if event == "line":
                    for line in range(frame.f_lineno + 40, frame.f_lineno, -1):
                        try:
                            frame.f_lineno = line
                            return None
                        except ValueError:
                            pass
                return jump
            frame = sys._getframe(1)
            sys.settrace(lambda *args: None)
            frame.f_trace = jump
        """,
    ),
)
