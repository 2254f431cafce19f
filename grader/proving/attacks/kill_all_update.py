"""All processes that can be found are killed (here: those that carry a mark, the grader among them)."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="killing processes",
    where="update",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="killed another process",
    needs_isolation=True,
    kills=True,
    files=right_scheduler(
        update="""
            try:
                import os, signal
                for name in os.listdir('/proc'):
                    if name.isdigit() and int(name) != os.getpid():
                        try:
                            if b'@MARK@' in open(f'/proc/{name}/cmdline', 'rb').read():
                                os.kill(int(name), signal.SIGKILL)
                        except OSError:
                            pass
            except BaseException:
                pass
        """,
    ),
)
