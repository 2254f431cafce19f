"""A thread raises SystemExit in the main thread, between the calls too."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="asynchronous exceptions",
    where="thread",
    part="1",
    deserved=(),
    control="died",
    files=right_scheduler(
        top="import ctypes, threading, time",
        schedule="""
            def shoot(target=threading.main_thread().ident):
                while True:
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(target), ctypes.py_object(KeyboardInterrupt))
                    time.sleep(0.001)
            threading.Thread(target=shoot, daemon=True).start()
            time.sleep(0.1)
        """,
    ),
)
