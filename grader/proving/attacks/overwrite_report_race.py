"""A process that stays behind rewrites every report that it sees."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import wrong_scheduler

ATTACK = Attack(
    mechanism="rewriting the report",
    where="files",
    part="1",
    deserved=(),
    control="left a process",
    needs_isolation=True,
    files=wrong_scheduler(
        top="""
            import os, re, time
            try:
                pid = os.fork()
            except OSError:
                pid = 1
            if pid == 0:
                try:
                    os.setsid()
                    end = time.time() + 2
                    while time.time() < end:
                        for folder in (".", ".."):
                            for name in os.listdir(folder):
                                if name.endswith((".xml", ".json")):
                                    text = open(f"{folder}/{name}").read()
                                    wrong = re.sub(r'<(failure|error) .*?</(failure|error)>', "", text, flags=re.DOTALL)
                                    if wrong != text:
                                        open(f"{folder}/{name}", "w").write(wrong)
                finally:
                    os._exit(0)
        """,
    ),
)
