"""An exception whose class, traceback and text are endless."""

from grader.attacks.bases import right_scheduler

MECHANISM = "endless loops"
WHERE = "__repr__"
PART = "1"
DESERVED: tuple[str, ...] = ()
CONTROL = "hung"
FILES = right_scheduler(
    top="""
        class Meta(type):
            @property
            def __name__(cls):
                while True: pass
        class Step:
            tb_next = property(lambda self: Step())
            tb_lineno = 1
            class tb_frame:
                class f_code:
                    co_filename = __file__
                    co_name = "schedule"
        class Endless(Exception, metaclass=Meta):
            __traceback__ = property(lambda self: Step())
            def __str__(self):
                while True: pass
    """,
    schedule="raise Endless()",
)
