"""All processes that can be found are killed (here: those that carry a mark, the grader among them)."""

from grader.proving.attacks.bases import right_scheduler

MECHANISM = "killing processes"
WHERE = "update"
PART = "1"
DESERVED: tuple[str, ...] = ("planted_run", "planted_calls")
CONTROL = "killed another process"
NEEDS_ISOLATION = True
KILLS = True
FILES = right_scheduler(
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
)
