"""An exception with a traceback of its own making, which has always one more step."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="endless loops",
    where="__repr__",
    part="1",
    deserved=(),
    not_shown="pytest takes the traceback from the interpreter",
    files=right_scheduler(
        top="""
            class Step:
                tb_next = property(lambda self: Step())
                tb_lineno = 1
                class tb_frame:
                    class f_code:
                        co_filename = __file__
                        co_name = "schedule"
            class Endless(Exception):
                __traceback__ = property(lambda self: Step())
        """,
        schedule="raise Endless()",
    ),
)
