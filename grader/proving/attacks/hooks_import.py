"""Hooks for warnings, logging, exceptions, codecs and garbage collection that all raise."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "hooks of the standard library"
WHERE = "import"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
NOT_SHOWN = "Python prints what such hooks raise and goes on"
FILES = right_scheduler(
    top="""
        import codecs, gc, logging, sys, threading, warnings
        def fail(*args, **kwargs): raise SystemExit(0)
        warnings.showwarning = sys.excepthook = sys.unraisablehook = sys.displayhook = threading.excepthook = fail
        logging.Logger.handle = logging.Handler.handle = fail
        codecs.register(fail)
        gc.callbacks.append(fail)
    """,
)
