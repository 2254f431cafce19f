"""The process's own command line and environment are read for the grader's paths."""

from grader.proving.attack import Attack
from grader.proving.attacks.bases import right_scheduler

ATTACK = Attack(
    mechanism="reading other processes",
    where="import",
    part="1",
    deserved=("planted_run", "planted_calls"),
    control="succeeded",
    files=right_scheduler(
        top="""
            for name in ("cmdline", "environ"):
                try:
                    text = open(f"/proc/self/{name}", "rb").read()
                except OSError:
                    continue
                if b"hidden_tests" in text or b"/student" in text or b"GRADER_CANARY" in text:
                    print("SUCCEEDED", flush=True)
        """,
    ),
)
