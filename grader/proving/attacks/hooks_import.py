"""Hooks for warnings, logging, exceptions, codecs and garbage collection that all raise."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="hooks of the standard library",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    not_shown="Python prints what such hooks raise and goes on",
    files=right_scheduler(
        top="""
            import codecs, gc, logging, sys, threading, warnings
            def fail(*args, **kwargs): raise SystemExit(0)
            warnings.showwarning = sys.excepthook = sys.unraisablehook = sys.displayhook = threading.excepthook = fail
            logging.Logger.handle = logging.Handler.handle = fail
            codecs.register(fail)
            gc.callbacks.append(fail)
        """,
    ),
)
