"""A trace function lets the calling test jump over its own checks."""

from grader.proving.attacks.bases import wrong_scheduler

MECHANISM = "sys.settrace and setprofile"
WHERE = "add_request"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "forged"
FILES = wrong_scheduler(
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
)
