"""The right answer is read from the source line of the caller."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="reading expected values",
    where="schedule",
    part="1",
    deserved=(),
    control="forged",
    files=wrong_scheduler(
        top="""
            import linecache, sys
            def expected():
                frame = sys._getframe(2)
                line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
                return eval(line.split("==")[1], frame.f_globals, frame.f_locals)
        """,
        schedule="return expected()",
        update="return expected()",
    ),
)
