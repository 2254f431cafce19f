"""A profile function raises in whatever function the process calls next."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="sys.settrace and setprofile",
    where="update",
    part="1",
    deserved=(),
    not_shown="pytest reports what is raised there as failures of the submission's own tests",
    files=right_scheduler(
        update="""
            import sys
            def raise_in(frame, event, argument):
                if frame.f_code.co_name in ('answer', 'dumps', 'check_update', 'encode', 'error_reply'):
                    raise SystemExit(0)
            sys.setprofile(raise_in)
        """,
    ),
)
